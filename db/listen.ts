import pg from 'pg';

export const channels = {
  /** A key or membership changed; payload: the hash of the key. */
  authChanged: 'auth_changed',
  /** The dispatcher has something to do. */
  jobs: 'jobs',
} as const;

export type Channel = (typeof channels)[keyof typeof channels];

export interface Listener {
  close(): Promise<void>;
}

export interface ListenOptions {
  url: string;
  applicationName: string;
  on: Partial<Record<Channel, (payload: string) => void>>;
  /** Notifications may have been missed (connected again): assume everything changed. */
  onGap: () => void;
  onError: (error: Error) => void;
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;

/** One connection of its own that listens, and comes back when it is lost. */
export const listen = (options: ListenOptions): Listener => {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let delay = firstDelayMs;
  let closed = false;

  const again = (): void => {
    if (closed || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, delay);
    delay = Math.min(delay * 2, longestDelayMs);
  };

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    client = next;
    next.on('notification', ({ channel, payload }) =>
      options.on[channel as Channel]?.(payload ?? ''),
    );
    next.on('error', options.onError);
    next.on('end', again);
    try {
      await next.connect();
      for (const channel of Object.keys(options.on)) await next.query(`listen ${channel}`);
      delay = firstDelayMs;
      options.onGap();
    } catch (error) {
      options.onError(error as Error);
      void next.end().catch(() => undefined);
      again();
    }
  };

  void connect();
  return {
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await client?.end().catch(() => undefined);
    },
  };
};
