import { classify } from '../../connectors/local/classify.js';
import { RunFailure } from '../../core/failures.js';

const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: secret detail, open '/srv/x'`), { code });

it.each([
  ['ENOSPC', 'destination', 'resource_exhausted', 'transient'],
  ['EDQUOT', 'destination', 'resource_exhausted', 'transient'],
  ['EACCES', 'destination', 'destination_permission_denied', 'config'],
  ['EACCES', 'source', 'config_invalid', 'config'],
  ['EROFS', 'destination', 'config_invalid', 'config'],
  ['ENOENT', 'source', 'schema_drift', 'schema'],
  ['EIO', 'source', 'source_unreachable', 'transient'],
  ['EIO', 'destination', 'destination_unreachable', 'transient'],
] as const)('%s of a %s is %s', (code, role, expected, kind) => {
  const { failure } = classify(systemError(code), role, 'a/b.csv');
  expect(failure).toMatchObject({ code: expected, class: kind });
  expect(failure.message).toContain('a/b.csv');
  expect(failure.message).not.toContain('secret');
});

it('leaves alone what is classified', () => {
  const failure = new RunFailure({ code: 'internal', class: 'internal', message: 'x' });
  expect(classify(failure, 'source', '')).toBe(failure);
});
