/** Identifiers on our wire: bare and lower-case. A pattern, since TypeBox has no formats of its own. */
export const uuidPattern = '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$';

const uuid = new RegExp(uuidPattern);

export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuid.test(value);
