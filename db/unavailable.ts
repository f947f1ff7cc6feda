/**
 * Whether an error says that our database is busy or away, so that trying again can help: lock and
 * statement timeouts, deadlocks, too many connections, a server that stops, starts or is not there.
 */
const passing = new Set([
  '55P03',
  '57014',
  '40P01',
  '40001',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
]);

export const isUnavailable = (error: unknown): boolean =>
  error instanceof Error &&
  (passing.has((error as { code?: string }).code ?? '') || error.name === 'KnexTimeoutError');
