/** Rows and expressions at random, in DuckDB's words, for what is pushed into PostgreSQL. */
import fc from 'fast-check';
import type { DataType } from '../../core/dataTypes.js';

export const columns: ReadonlyMap<string, { type: DataType; duck: string; postgres: string }> =
  new Map(
    (
      [
        ['s', { kind: 'smallint' }, 'SMALLINT', 'smallint'],
        ['i', { kind: 'integer' }, 'INTEGER', 'integer'],
        ['j', { kind: 'integer' }, 'INTEGER', 'integer'],
        ['b', { kind: 'bigint' }, 'BIGINT', 'bigint'],
        ['d', { kind: 'decimal', precision: 10, scale: 2 }, 'DECIMAL(10,2)', 'numeric(10,2)'],
        ['e', { kind: 'decimal', precision: 18, scale: 4 }, 'DECIMAL(18,4)', 'numeric(18,4)'],
        ['f', { kind: 'decimal', precision: 4, scale: 4 }, 'DECIMAL(4,4)', 'numeric(4,4)'],
        ['w', { kind: 'decimal', precision: 30, scale: 5 }, 'DECIMAL(30,5)', 'numeric(30,5)'],
        ['z', { kind: 'decimal', precision: 38, scale: 0 }, 'DECIMAL(38,0)', 'numeric(38,0)'],
        ['x', { kind: 'double' }, 'DOUBLE', 'double precision'],
        ['y', { kind: 'double' }, 'DOUBLE', 'double precision'],
        ['r', { kind: 'real' }, 'FLOAT', 'real'],
        ['q', { kind: 'real' }, 'FLOAT', 'real'],
        ['v', { kind: 'text' }, 'VARCHAR', 'text'],
        ['odd "name" \\', { kind: 'text' }, 'VARCHAR', 'character varying(80)'],
        ['bo', { kind: 'boolean' }, 'BOOLEAN', 'boolean'],
        ['bp', { kind: 'boolean' }, 'BOOLEAN', 'boolean'],
        ['u', { kind: 'uuid' }, 'UUID', 'uuid'],
        ['dt', { kind: 'date' }, 'DATE', 'date'],
        ['du', { kind: 'date' }, 'DATE', 'date'],
        ['ts', { kind: 'timestamp' }, 'TIMESTAMP', 'timestamp without time zone'],
        ['tz', { kind: 'timestamptz' }, 'TIMESTAMPTZ', 'timestamp with time zone'],
      ] as [string, DataType, string, string][]
    ).map(([name, type, duck, postgres]) => [name, { type, duck, postgres }]),
  );

/** Values as both systems read them from text. */
export type Row = readonly (string | null)[];

const among = (...texts: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

const whole = (bits: number): fc.Arbitrary<string> => {
  const limit = 2n ** BigInt(bits - 1);
  const any = fc.bigInt({ min: -limit, max: limit - 1n }).map(String);
  const near = fc.integer({ min: -5, max: 5 }).map(String);
  return fc.oneof(near, any, among(String(-limit), String(limit - 1n), '0', '100', '-7'));
};

const decimal = (precision: number, scale: number): fc.Arbitrary<string> => {
  const limit = 10n ** BigInt(precision);
  const written = (digits: bigint): string => {
    const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
    const sign = digits < 0n ? '-' : '';
    const at = text.length - scale;
    return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, at)}.${text.slice(at)}`;
  };
  return fc
    .oneof(
      fc.bigInt({ min: 1n - limit, max: limit - 1n }),
      fc.bigInt({ min: -300n, max: 300n }),
      fc.constantFrom(limit - 1n, 1n - limit, 0n, 150n, 10n ** BigInt(scale)),
    )
    .map((digits) => (digits >= limit || digits <= -limit ? 0n : digits))
    .map(written);
};

const floats = ['NaN', 'Infinity', '-Infinity', '-0', '0', '1.5', '-1.5', '0.1', '1e-300'];
const double = fc.oneof(
  among(...floats, '1.7976931348623157e308', '5e-324', '9007199254740993'),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
);
const real = fc.oneof(
  among('NaN', 'Infinity', '-Infinity', '-0', '0', '1.5', '0.1'),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => String(Math.fround(value))),
);

const pieces = ['', 'a', 'A', 'b', 'Z', 'é', 'e\u0301', 'ß', 'ſ', 'İ', 'ǆ', '中', '😀', '👨‍👩‍👧', "'"];
const signs = [
  '"',
  '\\',
  '%',
  '_',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u2003',
  '\u3000',
  '0',
  '-',
  '\u{10ffff}',
];
const unit = fc.constantFrom(...pieces, ...signs);
const text = fc
  .oneof(fc.array(unit, { maxLength: 6 }), fc.array(unit, { maxLength: 2 }))
  .map((parts) => parts.join(''));

const uuid = fc.oneof(
  fc.uuid(),
  among('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  among('7fffffff-0000-0000-0000-000000000000', '80000000-0000-0000-0000-000000000000'),
);

const days = among('2024-02-29', '2024-01-01', '1969-12-31', '0001-01-01', '9999-12-31');
const date = fc.oneof(
  days,
  among('infinity', '-infinity', '12024-06-30'),
  fc
    .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString().slice(0, 10)),
);
const clocks = among('00:00:00', '23:59:59.999999', '12:30:00.5');
const moment = fc.oneof(
  fc.tuple(days, clocks).map(([day, clock]) => `${day} ${clock}`),
  among('infinity', '-infinity', '1969-12-31 23:59:59.999999'),
);
const zoned = moment.map((at) => (at.includes(':') ? `${at}+00` : at));

const nullable = (values: fc.Arbitrary<string>): fc.Arbitrary<string | null> =>
  fc.option(values, { nil: null, freq: 6 });

export const row: fc.Arbitrary<Row> = fc.tuple(
  ...[whole(16), whole(32), whole(32), whole(64)].map(nullable),
  ...[decimal(10, 2), decimal(18, 4), decimal(4, 4), decimal(30, 5), decimal(38, 0)].map(nullable),
  ...[double, double, real, real, text, text].map(nullable),
  ...[among('true', 'false'), among('true', 'false'), uuid, date, date, moment, zoned].map(
    nullable,
  ),
);

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

const textConstant = text.map(quoted);
const wholeConstant = fc.oneof(
  among('0', '1', '2', '-1', '7', '100', '40000', '-32768', '32767', '2147483647', '3000000000'),
  among('9223372036854775807', '-9223372036854775808', '9007199254740993'),
);
const decimalConstant = among(
  '1.5',
  '0.05',
  '.5',
  '5.',
  '-2.25',
  '1.10',
  '123456.789',
  '0.1',
  '100.0',
);
const dateConstant = fc.oneof(
  days.map((day) => `DATE ${quoted(day)}`),
  days.map(quoted),
  among("DATE '2024-02-30'", "'infinity'", "DATE '24-1-1'"),
);
const momentConstant = fc.oneof(
  fc.tuple(days, clocks).map(([day, clock]) => quoted(`${day} ${clock}`)),
  fc.tuple(days, clocks).map(([day, clock]) => `TIMESTAMP ${quoted(`${day}T${clock}`)}`),
  days.map(quoted),
);
const zonedConstant = fc
  .tuple(days, clocks, among('+00', 'Z', '+02', ''))
  .map(([day, clock, zone]) => quoted(`${day} ${clock}${zone}`));

const call = (name: string, ...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => `${name}(${texts.join(', ')})`);

const infix = (
  left: fc.Arbitrary<string>,
  sign: fc.Arbitrary<string>,
  right: fc.Arbitrary<string>,
): fc.Arbitrary<string> => fc.tuple(left, sign, right).map((parts) => `(${parts.join(' ')})`);

const castTo = (part: fc.Arbitrary<string>, ...types: string[]): fc.Arbitrary<string> =>
  fc.tuple(part, among(...types)).map(([sql, type]) => `CAST(${sql} AS ${type})`);

const comparisons = among('=', '<>', '<', '<=', '>', '>=');
const distinct = among('IS DISTINCT FROM', 'IS NOT DISTINCT FROM');

type Nonterminals = {
  int: string;
  dec: string;
  intCall: string;
  decCall: string;
  double: string;
  text: string;
  textCall: string;
  bool: string;
  any: string;
};

export const expression: fc.Arbitrary<string> = fc.letrec(
  (tie: fc.LetrecTypedTie<Nonterminals>) => {
    const choice = (branch: fc.Arbitrary<string>): fc.Arbitrary<string> =>
      fc.oneof(
        fc
          .tuple(tie('bool'), branch, branch)
          .map(([on, one, other]) => `CASE WHEN ${on} THEN ${one} ELSE ${other} END`),
        fc.tuple(tie('bool'), branch).map(([on, one]) => `CASE WHEN ${on} THEN ${one} END`),
        call('coalesce', branch, branch),
        call('coalesce', branch, fc.constant('NULL'), branch),
        call('nullif', branch, branch),
        call('greatest', branch, branch),
        call('least', branch, branch, branch),
      );
    const compared = (
      kind: fc.Arbitrary<string>,
      constant: fc.Arbitrary<string> = kind,
    ): fc.Arbitrary<string> => {
      const both = fc.oneof(kind, constant);
      return fc.oneof(
        infix(kind, comparisons, both),
        infix(both, fc.oneof(comparisons, distinct), kind),
        fc.tuple(kind, both, both).map(([one, low, high]) => `(${one} BETWEEN ${low} AND ${high})`),
        fc
          .tuple(kind, among('IN', 'NOT IN'), fc.array(constant, { minLength: 1, maxLength: 3 }))
          .map(([one, word, list]) => `(${one} ${word} (${list.join(', ')}))`),
        fc.tuple(kind, among('NULL', 'NOT NULL')).map(([one, word]) => `(${one} IS ${word})`),
      );
    };
    const leaf = (...names: string[]): fc.Arbitrary<string> => among(...names);
    const int = fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf('s', 'i', 'j', 'b'),
      wholeConstant,
      tie('intCall'),
    );
    const dec = fc.oneof(
      { depthSize: 'small' },
      leaf('d', 'e', 'f', 'w', 'z'),
      decimalConstant,
      tie('decCall'),
    );
    const number = fc.oneof(tie('int'), tie('dec'));
    const words = fc.oneof(
      { depthSize: 'small' },
      leaf('v', '"odd ""name"" \\"'),
      textConstant,
      tie('textCall'),
    );
    return {
      int,
      dec,
      intCall: fc.oneof(
        infix(tie('int'), among('+', '-', '*', '%', '//'), tie('int')),
        infix(leaf('s', 'i', 'b'), among('+', '-', '*'), fc.oneof(leaf('s', 'j'), wholeConstant)),
        infix(tie('int'), among('%', '//'), among('1', '3', '10', '100000')),
        tie('int').map((one) => `(- ${one})`),
        call('abs', tie('int')),
        choice(tie('int')),
        castTo(tie('int'), 'SMALLINT', 'INTEGER', 'BIGINT'),
        call('length', tie('text')),
      ),
      decCall: fc.oneof(
        infix(number, among('+', '-', '*'), tie('dec')),
        infix(tie('dec'), among('+', '-', '*', '/'), number),
        infix(
          leaf('d', 'e', 'f', 'w', 'i', 'b'),
          among('+', '-', '*'),
          leaf('d', 'e', 'f', 'w', 'z'),
        ),
        infix(leaf('d', 'e', 'f', 'i'), among('+', '-', '*'), decimalConstant),
        tie('dec').map((one) => `(- ${one})`),
        call('abs', tie('dec')),
        choice(number),
        castTo(number, 'DECIMAL(12,4)', 'DECIMAL(20,2)', 'DECIMAL(38,6)', 'DECIMAL(5,1)'),
      ),
      double: fc.oneof(
        { depthSize: 'small' },
        leaf('x', 'y'),
        among('1e10', '-0.5e0', '1e300'),
        choice(leaf('x', 'y', '0', '1.5', '1e0', '0.1')),
        tie('int').map((one) => `CAST(${one} AS DOUBLE)`),
        leaf('x', 'y').map((one) => `(- ${one})`),
        leaf('x', 'y').map((one) => `abs(${one})`),
        infix(leaf('x', 'y'), among('+', '*', '/'), leaf('x', 'y', '2')),
      ),
      text: words,
      textCall: fc.oneof(
        infix(tie('text'), fc.constant('||'), tie('text')),
        call(
          'substring',
          tie('text'),
          among('1', '2', '0', '-1', '30'),
          among('0', '1', '3', '-1'),
        ),
        call('substr', tie('text'), among('1', '3')),
        call('left', tie('text'), among('0', '2', '-1')),
        call('right', tie('text'), among('0', '2', '-1')),
        fc
          .tuple(among('trim', 'ltrim', 'rtrim'), tie('text'), textConstant)
          .map(([name, one, set]) => `${name}(${one}, ${set})`),
        call('trim', tie('text')),
        call('lower', tie('text')),
        call('replace', tie('text'), textConstant, textConstant),
        choice(tie('text')),
        castTo(
          fc.oneof(tie('int'), tie('dec'), tie('bool'), leaf('u', 'x', 'dt', 'ts')),
          'VARCHAR',
        ),
      ),
      bool: fc.oneof(
        { depthSize: 'small' },
        leaf('bo', 'bp', 'true', 'false'),
        compared(tie('int'), wholeConstant),
        compared(number, decimalConstant),
        compared(tie('text'), textConstant),
        compared(tie('double'), among('0', '0.1', '1.5', '-0.25', '1e10')),
        compared(leaf('r', 'q')),
        compared(fc.oneof(leaf('x', 'r', 'i', 'b', 'd'), tie('int'))),
        compared(fc.oneof(leaf('dt', 'du'), castTo(leaf('ts'), 'DATE')), dateConstant),
        compared(leaf('ts'), momentConstant),
        compared(leaf('tz'), zonedConstant),
        compared(leaf('u'), uuid.map(quoted)),
        compared(leaf('bo', 'bp', 'true')),
        infix(tie('text'), among('LIKE', 'NOT LIKE', 'ILIKE'), textConstant),
        call('starts_with', tie('text'), textConstant),
        call('contains', tie('text'), textConstant),
        fc
          .tuple(tie('bool'), among('AND', 'OR'), tie('bool'))
          .map((parts) => `(${parts.join(' ')})`),
        tie('bool').map((one) => `(NOT ${one})`),
        tie('bool').map((one) => `(${one} IS TRUE)`),
      ),
      any: fc.oneof(
        ...[tie('int'), tie('dec'), tie('double'), tie('text'), tie('bool')],
        tie('bool'),
        choice(leaf('dt', 'du', "DATE '2024-01-01'")),
        choice(leaf('u')),
        choice(leaf('ts')),
      ),
    };
  },
).any;
