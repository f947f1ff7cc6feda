import fc from 'fast-check';
import {
  covers,
  describeScopes,
  isPermission,
  isScope,
  narrower,
  permissions,
  roles,
  roleScopes,
} from '../../core/permissions.js';

const scope = fc.constantFrom(...permissions, '*:read', '*:write', 'projects:*', '*:*');

describe('scope grammar', () => {
  test.each(['projects:read', 'reverse_etl:run', '*:read', 'projects:*', '*:*'])('%s', (text) => {
    expect(isScope(text)).toBe(true);
  });

  test.each([
    '',
    'projects',
    'projects:',
    ':read',
    'projects:fly',
    'toys:read',
    'a:b:c',
    '*',
    '**:*',
  ])('refuses %p', (text) => {
    expect(isScope(text)).toBe(false);
    expect(covers(['*:*'], text)).toBe(false);
  });

  test('a route asks for a plain permission, never a wildcard', () => {
    expect(isPermission('runs:read')).toBe(true);
    expect(isPermission('*:read')).toBe(false);
  });

  test('every permission is described once', () => {
    const described = describeScopes();
    expect(described.map((one) => one.scope)).toEqual(permissions);
    expect(new Set(described.map((one) => one.description)).size).toBe(described.length);
  });
});

describe('cover', () => {
  test.each([
    [['projects:read'], 'projects:read', true],
    [['projects:read'], 'projects:write', false],
    [['projects:read'], 'folders:read', false],
    [['*:read'], 'folders:read', true],
    [['*:read'], 'folders:write', false],
    [['projects:*'], 'projects:admin', true],
    [['projects:*'], '*:read', false],
    [['*:read'], 'projects:*', false],
    [['*:*'], '*:read', true],
    [[], 'projects:read', false],
  ] as const)('%p covers %s: %p', (granted, needed, expected) => {
    expect(covers(granted, needed)).toBe(expected);
  });

  test('all single permissions together are as much as *:*', () => {
    expect(covers(permissions, '*:*')).toBe(true);
    expect(covers(permissions.slice(1), '*:*')).toBe(false);
  });

  test('what is handed on never opens more doors than its giver had', () => {
    fc.assert(
      fc.property(fc.array(scope), fc.array(scope), (requested, granted) => {
        const allowed = narrower(requested, granted);
        const more = permissions.some(
          (permission) => covers(requested, permission) && !covers(granted, permission),
        );
        expect(allowed).toBe(!more);
      }),
    );
  });
});

describe('roles', () => {
  test('each may do what the next one may', () => {
    for (const [index, role] of roles.slice(1).entries()) {
      const above = roles[index] ?? 'owner';
      expect({ role, within: narrower(roleScopes[role], roleScopes[above]) }).toEqual({
        role,
        within: true,
      });
    }
  });

  test('what each role may not', () => {
    expect(covers(roleScopes.admin, 'organization:admin')).toBe(false);
    expect(covers(roleScopes.editor, 'settings:write')).toBe(false);
    expect(covers(roleScopes.operator, 'pipelines:write')).toBe(false);
    expect(covers(roleScopes.viewer, 'pipelines:run')).toBe(false);
    expect(covers(roleScopes.viewer, 'audit:read')).toBe(false);
  });
});
