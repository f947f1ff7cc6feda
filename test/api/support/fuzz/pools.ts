import { randomUUID } from 'node:crypto';
import type { Route } from '../../../../api/route.js';
import type { Answered } from '../http.js';
import { idMarkForm } from './values.js';

export interface PoolSettings {
  references: Readonly<Record<string, string>>;
  known: Readonly<Record<string, readonly string[]>>;
  spared: readonly string[];
}

const largestPool = 200;

/** Ids that exist, by collection, fed by what answers show. */
export class Pools {
  private readonly ids = new Map<string, string[]>();

  constructor(private readonly settings: PoolSettings) {
    for (const [collection, ids] of Object.entries(settings.known)) {
      this.ids.set(collection, [...ids]);
    }
  }

  private add(collection: string, id: unknown): void {
    if (typeof id !== 'string' || this.settings.spared.includes(id)) return;
    const pool = this.ids.get(collection) ?? [];
    if (!pool.includes(id)) pool.push(id);
    if (pool.length > largestPool) pool.shift();
    this.ids.set(collection, pool);
  }

  learn(route: Route, { status, json }: Answered): void {
    if (status >= 300) return;
    const data = json['data'] ?? json;
    if (Array.isArray(data)) {
      for (const item of data as readonly { id?: unknown }[]) this.add(route.path, item.id);
    } else if (route.method === 'POST') this.add(route.path, data['id']);
  }

  /**
   * Recent ids more often: old ones may be gone. Now and then one that never was. What destroys
   * gets every third id only, so that something is left for the others.
   */
  private pick(pool: string, at: number, destroys: boolean): string {
    const ids = (this.ids.get(this.settings.references[pool] ?? pool) ?? []).filter(
      (id) => !destroys || Number.parseInt(id.slice(-4), 16) % 3 === 0,
    );
    const from = at % 3 === 0 ? 0 : Math.max(0, ids.length - 5);
    const chosen = ids[from + (at % Math.max(1, ids.length - from))];
    return at % 11 === 0 || chosen === undefined ? randomUUID() : chosen;
  }

  /** Marks in a value become ids. */
  fill(value: unknown, destroys: boolean): unknown {
    if (typeof value === 'string') {
      const mark = idMarkForm.exec(value);
      return mark ? this.pick(mark[1] as string, Number(mark[2]), destroys) : value;
    }
    if (Buffer.isBuffer(value) || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.fill(item, destroys));
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.fill(item, destroys)]),
    );
  }
}
