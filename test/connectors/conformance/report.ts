/** docs/conformance.md: a section for each system, and in it what became of each check. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { table } from '../../engine/types/markdown.js';

const reportPath = join(__dirname, '../../../docs/conformance.md');

const introduction = `# Conformance

Every connector goes through one suite, against the system it is for (\`npm run test:systems\`): what
its manifest declares is tried, and what cannot be tried says why. Nobody wrote these tables; a test
fails when they say something else than it sees. To write them anew:
\`FLX_WRITE_DOCS=1 npm run test:systems\`.
`;

export interface Seen {
  part: string;
  check: string;
  result: string;
}

/** Sections by their headings. */
const sectionsOf = (text: string): Map<string, string> =>
  new Map(
    text
      .split(/^(?=## )/m)
      .slice(1)
      .map((section) => [section.slice(3, section.indexOf('\n')), section.trimEnd()]),
  );

const sectionOf = (title: string, seen: readonly Seen[]): string =>
  `## ${title}\n\n${table(
    ['Part', 'Check', 'Result'],
    seen.map(({ part, check, result }) => [part, check, result]),
  )}`;

/** Compares what was seen with what is documented, or documents it where that is asked for. */
export const holdToReport = async (title: string, seen: readonly Seen[]): Promise<void> => {
  const section = sectionOf(title, seen);
  const sections = sectionsOf(await readFile(reportPath, 'utf8').catch(() => ''));
  if (process.env['FLX_WRITE_DOCS'] === '1') {
    sections.set(title, section);
    const all = [...sections].sort(([one], [other]) => (one < other ? -1 : 1));
    const parts = [introduction, ...all.map(([, text]) => `${text}\n`)];
    await writeFile(reportPath, parts.join('\n'));
    return;
  }
  // Line by line: the first one that differs is shown.
  expect(section.split('\n')).toEqual((sections.get(title) ?? '').split('\n'));
};
