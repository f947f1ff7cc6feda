/**
 * What the setups started and the teardown has to end. Jest loads setup and teardown separately, so
 * only the global object is common to them.
 */
const shared = globalThis as typeof globalThis & { fluxlineTestServers?: (() => Promise<void>)[] };

export function keep(stop: () => Promise<void>): void {
  (shared.fluxlineTestServers ??= []).push(stop);
}

export async function stopAll(): Promise<void> {
  const stops = shared.fluxlineTestServers?.splice(0) ?? [];
  for (const stop of stops.reverse()) await stop();
}
