import { connectFailure, connectReasons } from '../../core/connecting.js';
import { failureCodes } from '../../core/failures.js';
import { liveFailure } from '../../core/liveFailure.js';

test('what keeps a connection from coming about is their system’s, with one word for it', () => {
  for (const reason of connectReasons) {
    const { failure } = connectFailure(reason, { role: 'source', where: 'db:5432' });
    const error = liveFailure(failure);
    expect({ reason, status: error.status }).toEqual({
      reason,
      status: reason === 'connect_timeout' ? 504 : 502,
    });
    expect(error.details['reason']).toBe(reason);
    expect(error.message).toBe(failure.message);
  }
});

test('every other failure is theirs, the request’s or ours', () => {
  const statuses = Object.fromEntries(
    failureCodes.map((code) => [
      code,
      liveFailure({ code, class: 'config', message: 'Said.' }).status,
    ]),
  );
  expect(statuses).toMatchObject({
    source_timeout: 504,
    source_permission_denied: 502,
    egress_denied: 400,
    platform_database_refused: 400,
    config_invalid: 400,
    schema_drift: 404,
    internal: 500,
  });
  expect(Object.values(statuses)).not.toContain(undefined);
});
