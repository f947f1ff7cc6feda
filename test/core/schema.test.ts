import { Type } from '@sinclair/typebox';
import { checkSchema } from '../../core/schema.js';

const pointers = (...args: Parameters<typeof checkSchema>) =>
  checkSchema(...args).map(({ pointer }) => pointer);

describe('checkSchema', () => {
  const schema = Type.Object({
    host: Type.String({ minLength: 1 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535 })),
  });

  it('finds nothing in what fits, unknown keys of an open object included', () => {
    expect(checkSchema(schema, { host: 'db', port: 5432, note: [1] }, '/config')).toEqual([]);
  });

  it('names each place once, below the given one', () => {
    expect(pointers(schema, { port: 0 }, '/config')).toEqual(['/config/host', '/config/port']);
    expect(pointers(schema, { host: 1, port: 1.5 }, '')).toEqual(['/host', '/port']);
    // Missing is what it is; that it is no string either goes without saying.
    expect(checkSchema(schema, {}, '')[0]?.message).toBe('Expected required property.');
  });

  it('names the place itself when it is not an object at all', () => {
    for (const value of [null, [], 'text', 1, undefined]) {
      expect(pointers(schema, value, '/config')[0]).toMatch(/^\/config/);
    }
    expect(pointers(schema, 'text', '/config')).toEqual(['/config']);
  });

  it('escapes keys as JSON pointers do', () => {
    const odd = Type.Object({ 'a/b~c': Type.String() });
    expect(pointers(odd, { 'a/b~c': 1 }, '')).toEqual(['/a~1b~0c']);
  });

  it('refuses what a closed object does not know', () => {
    const closed = Type.Object({}, { additionalProperties: false });
    expect(pointers(closed, { extra: 1 }, '/config')).toEqual(['/config/extra']);
  });

  it('lists the words of a union of constants', () => {
    const ssl = Type.Object({ ssl: Type.Union([Type.Literal('on'), Type.Literal('off')]) });
    expect(checkSchema(ssl, { ssl: 'maybe' }, '')).toEqual([
      { pointer: '/ssl', code: 'schema', message: 'Expected one of on, off.' },
    ]);
  });

  it("says a schema's own message", () => {
    const own = Type.Literal('append', { errorMessage: 'Only append.' });
    expect(checkSchema(own, 'replace', '/mode')[0]?.message).toBe('Only append.');
  });

  it('stops after twenty issues', () => {
    const list = Type.Array(Type.Integer());
    expect(checkSchema(list, new Array(100).fill('x'), '')).toHaveLength(20);
  });

  describe('a union told apart by a key', () => {
    const shape = Type.Union(
      [
        Type.Object({ kind: Type.Literal('circle'), radius: Type.Number() }),
        Type.Object({ kind: Type.Literal('square'), side: Type.Number() }),
      ],
      { discriminator: { propertyName: 'kind' } },
    );

    it('reports the faults of the variant that is meant', () => {
      expect(pointers(Type.Array(shape), [{ kind: 'square', side: 'x' }], '/s')).toEqual([
        '/s/0/side',
      ]);
    });

    it.each([{ kind: 'ring' }, {}, { radius: 1 }])('points at the key in %j', (value) => {
      expect(checkSchema(shape, value, '/s')).toEqual([
        { pointer: '/s/kind', code: 'schema', message: 'Expected one of circle, square.' },
      ]);
    });

    it('points at the place when there is no object', () => {
      expect(pointers(shape, 7, '/s')).toEqual(['/s']);
    });
  });
});
