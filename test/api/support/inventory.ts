import type { RouteFacts } from '../../../api/route.js';

/** A row of the interface specification. */
export interface InventoryRow {
  method: string;
  path: string;
  envelope: string;
  status: number;
  public: boolean;
}

const place = ({ method, path }: { method: string; path: string }): string =>
  `${method} ${path.replace(/\{[^{}]*\}/g, '{}')}`;

const statusOf = ({ status, envelope }: RouteFacts): number =>
  status ?? (envelope.kind === 'empty' ? 204 : 200);

const differences = (route: RouteFacts, row: InventoryRow): string[] => {
  const pairs: [string, unknown, unknown][] = [
    ['status', statusOf(route), row.status],
    ['envelope', route.envelope.family, row.envelope],
    ['public', route.public ?? false, row.public],
    ['extension', route.extension ?? false, false],
  ];
  return pairs
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(
      ([what, ours, theirs]) => `${place(row)}: ${what} is ${String(ours)}, not ${String(theirs)}`,
    );
};

/**
 * Routes against the specification, both ways: every row is there as specified or stands in the
 * list of what is still to come, and every route is a row or says that it is an extension.
 */
export const compareInventory = (
  routes: readonly RouteFacts[],
  inventory: readonly InventoryRow[],
  pending: readonly string[],
): string[] => {
  const ours = new Map(routes.map((route) => [place(route), route]));
  const rows = new Map(inventory.map((row) => [place(row), row]));
  const waiting = new Set(
    pending.map((line) => {
      const [method = '', path = ''] = line.split(' ');
      return place({ method, path });
    }),
  );
  const problems: string[] = [];
  for (const [at, row] of rows) {
    const route = ours.get(at);
    if (route && waiting.has(at)) problems.push(`${at}: it is there; take it off the pending list`);
    if (!route && !waiting.has(at)) problems.push(`${at}: it is missing`);
    if (route) problems.push(...differences(route, row));
  }
  for (const [at, route] of ours) {
    if (!rows.has(at) && !route.extension)
      problems.push(`${at}: neither specified nor an extension`);
  }
  for (const at of waiting) {
    if (!rows.has(at)) problems.push(`${at}: pending, but not specified`);
  }
  if (waiting.size !== pending.length) problems.push('a pending row is listed twice');
  return problems;
};
