/** docs/types.md, out of what was seen. */
import { explanations } from './explanations.js';
import { csvSection, jsonSection, parquetSection } from './filesSection.js';
import { makeNotes } from './notes.js';
import { postgresSection } from './postgresSection.js';
import { meetingsSection, shapesSection } from './shapesSection.js';
import type { World } from './world.js';

const introduction = `# Types

What becomes of every type on its way. Nobody wrote these tables: \`test/engine/types.test.ts\` moves
values at the edges of each type through connectors and engine, compares \`::text\` at both ends, and
fails when this page says something else.

- **exactly**: the column that is created has the same type, and every value is the same.
- **converted**: to another type, or in another form. What differs is shown as \`before\` → \`after\`.
- **refused**: the row is set aside with this code (\`maxErrors\` of the destination says how many may
  be), and no other value arrives in its place.
- **the run fails**: it says why, and nothing arrives.

The ways are those that the log of a run names ([engine.md](engine.md)):

- _straight_: nothing is left to transform. Between tables whose columns are of equal types rows go as
  binary, else as csv.
- _through DuckDB_: there are transforms, and none of their expressions names the column.
- _named_: an expression names the column, which becomes a value of DuckDB's for it; here the
  expression is the column itself. Where PostgreSQL evaluates the expression (the log says _pushed
  into the source_), DuckDB is not asked, and rows go straight.
- _Parquet_: into a file, out of which the values are loaded again to be compared.

Tables are created by the run unless it says otherwise.
`;

const jsonIntroduction = `In a column of \`jsonb\`, _exactly_ means what PostgreSQL makes of the same text: it keeps neither
blanks nor order, and of members that come twice the last one.
`;

export const typesDocument = async (world: World): Promise<string> => {
  const notes = makeNotes(explanations);
  const parts = [
    introduction,
    '## PostgreSQL\n',
    `${await postgresSection(world, notes)}\n`,
    '## Tables that are there before\n',
    'The type of their columns decides; a value is read by PostgreSQL as if it had been typed in.\n',
    `${await meetingsSection(world)}\n`,
    '## Names, columns and rows\n',
    `${await shapesSection(world)}\n`,
    '## Files of csv\n',
    'A column has the type that all its fields look like; _exactly_ means the text of the field.\n',
    `${await csvSection(world, notes)}\n`,
    '## Files of JSON\n',
    jsonIntroduction,
    `${await jsonSection(world, notes)}\n`,
    '## Files of Parquet\n',
    "Types are given in DuckDB's words. _exactly_: the value is the same, if in PostgreSQL's type for it.\n",
    `${await parquetSection(world, notes)}\n`,
    '## Why\n',
    `${notes.conversions()}\n`,
    '## What refusals say\n',
    `${notes.refusals()}\n`,
  ];
  return parts.join('\n');
};
