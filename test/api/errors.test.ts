import { AppError, errorCodes } from '../../core/errors.js';
import type { ErrorCode } from '../../core/errors.js';
import { renderError, toAppError } from '../../api/errors.js';
import { errorShapeOf, mountedPath } from '../../api/family.js';
import type { ErrorShape } from '../../api/family.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

const path = '/api/things/0192f3a1-0000-7000-8000-000000000001';

describe('problem+json', () => {
  test.each(Object.entries(errorCodes))('%s is %i', async (code, status) => {
    const answer = await api.send(`${path}?code=${code}`, { method: 'DELETE' });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.headers['retry-after']).toBe('7');
    expect(answer.json).toEqual({
      type: `urn:fluxline:problem:${code}`,
      title: expect.stringMatching(/^[A-Z][a-z ]+$/) as string,
      status,
      detail: 'As asked.',
      instance: path,
      code,
      request_id: answer.headers['x-request-id'],
      errors: [],
      details: { hint: 'shown' },
    });
  });

  test('references stand in details; the query, which may hold secrets, is nowhere', async () => {
    await api.send('/api/things', { json: { name: 'taken' } });
    const answer = await api.send('/api/things?', { json: { name: 'taken' } });
    expect(answer.json).toMatchObject({ code: 'duplicate', details: { references: ['taken'] } });
    expect((await api.send('/api/things?token=hunter2')).json['instance']).toBe('/api/things');
  });
});

const rendered = (code: ErrorCode, shape: ErrorShape, details = {}) => {
  const { body, headers } = renderError(new AppError(code, 'Said.', details), {
    shape,
    path: '/',
    requestId: 'r',
  });
  return { body: JSON.parse(body) as unknown, headers };
};

describe('the other shapes', () => {
  test.each([
    ['validation_failed', 'BadRequestException'],
    ['unauthenticated', 'NotAuthorizedException'],
    ['insufficient_scope', 'ForbiddenException'],
    ['not_found', 'NotFoundException'],
    ['duplicate', 'AlreadyExistsException'],
    ['internal', 'InternalServerError'],
    ['unavailable', 'ServiceUnavailableException'],
  ] as const)('Iceberg: %s is %s, and the code is the status', (code, type) => {
    const { body, headers } = rendered(code, 'iceberg');
    expect(body).toEqual({ error: { message: 'Said.', type, code: errorCodes[code] } });
    expect(headers['Content-Type']).toBe('application/json');
  });

  test('Iceberg: the thrower may name the type, and places stand in the message', () => {
    const { body } = rendered('wrong_state', 'iceberg', {
      icebergType: 'CommitFailedException',
      errors: [{ pointer: '/updates/0', code: 'x', message: 'Unknown.' }],
    });
    expect(body).toEqual({
      error: { message: 'Said. /updates/0: Unknown.', type: 'CommitFailedException', code: 409 },
    });
  });

  test.each([
    ['unauthenticated', {}, 'invalid_client'],
    ['validation_failed', {}, 'invalid_request'],
    ['validation_failed', { oauthError: 'unsupported_grant_type' }, 'unsupported_grant_type'],
    ['internal', {}, 'server_error'],
  ] as const)('OAuth: %s %p is %s', (code, details, error) => {
    expect(rendered(code, 'oauth', details).body).toEqual({ error, error_description: 'Said.' });
  });

  test('503 always says when to come back', () => {
    expect(rendered('unavailable', 'problem').headers['Retry-After']).toBe('5');
    expect(
      rendered('unavailable', 'problem', { retryAfterSeconds: 1.2 }).headers['Retry-After'],
    ).toBe('2');
    expect(rendered('internal', 'problem').headers['Retry-After']).toBeUndefined();
  });

  test('what is not ours says nothing', () => {
    for (const thrown of [new TypeError('secret'), 'secret', undefined, { status: 404 }]) {
      expect(toAppError(thrown)).toMatchObject({ code: 'internal', details: {} });
      expect(toAppError(thrown).message).not.toContain('secret');
    }
  });
});

test.each([
  ['/api/x', '', 'problem'],
  ['/v1/x', '', 'iceberg'],
  ['/v1', '', 'iceberg'],
  ['/v1x', '', 'problem'],
  ['/v1/api/x', '/v1', 'problem'],
  ['/v1/apis', '/v1', 'iceberg'],
  ['/healthz', '', 'problem'],
])('%s under "%s" speaks %s', (place, prefix, shape) => {
  expect(errorShapeOf(place, prefix)).toBe(shape);
});

test('only /api moves with the prefix', () => {
  expect(['/api/x', '/api', '/apis', '/v1/x'].map((one) => mountedPath(one, '/p'))).toEqual([
    '/p/api/x',
    '/p/api',
    '/apis',
    '/v1/x',
  ]);
});

test('a database that is busy or away is 503 with a time to come back, other faults are 500', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), {
    code: 'ECONNREFUSED',
  });
  const busy = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  for (const error of [away, busy]) {
    const answered = toAppError(error);
    expect(answered).toMatchObject({
      code: 'unavailable',
      status: 503,
      details: { retryAfterSeconds: 1 },
    });
    expect(answered.message).not.toContain('10.1.2.3');
  }
  expect(toAppError(Object.assign(new Error('no'), { code: '42601' })).status).toBe(500);
  expect(toAppError('a string').status).toBe(500);
});
