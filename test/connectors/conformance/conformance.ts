/**
 * One suite for all connectors. A connector's test file holds its harness and calls this; which
 * checks are run follows from the capabilities that its manifest declares.
 */
import { manifests } from '../../../connectors/catalog.js';
import type { Manifest } from '../../../connectors/manifest.js';
import { code } from '../../engine/types/markdown.js';
import { browseChecks } from './browsing.js';
import type { Check } from './check.js';
import { connectionChecks } from './connecting.js';
import { copyChecks } from './copying.js';
import { documentChecks } from './documents.js';
import type { Harness, System } from './harness.js';
import { queryChecks } from './querying.js';
import { readChecks } from './reading.js';
import { holdToReport } from './report.js';
import type { Seen } from './report.js';
import { makeTrial } from './trial.js';
import { storeSuite } from '../stores/suite.js';
import { writeChecks } from './writing.js';

const allChecks: readonly Check[] = [
  ...connectionChecks,
  ...browseChecks,
  ...queryChecks,
  ...readChecks,
  ...writeChecks,
  ...copyChecks,
  ...documentChecks,
];

/** Long enough for a server that has to be installed first. */
const startMs = 900_000;

const applies = (check: Check, { capabilities }: Manifest, { parts, network }: Harness): boolean =>
  (parts === undefined || parts.includes(check.part)) &&
  (check.network !== true || network) &&
  (check.capabilities.length === 0 ||
    check.capabilities.some((capability) => capabilities.includes(capability)));

/** Files have a suite of their own; what a store cannot hold is skipped there. */
const filesSeen = ({ files }: Harness): Seen[] =>
  files === undefined
    ? []
    : [
        { part: 'files', check: 'the suite of stores', result: 'passed' },
        ...Object.entries(files.without ?? {}).map(([key, reason]) => ({
          part: 'files',
          check: `a key of ${code(key)}`,
          result: `skipped: ${reason}`,
        })),
      ];

const callForFiles = (
  { capabilities }: Manifest,
  { files, parts, connector }: Harness,
): boolean => {
  const wanted = parts === undefined || parts.includes('files');
  const declared = wanted && capabilities.includes('source.files');
  if (declared === (files !== undefined)) return declared;
  throw new Error(
    `${connector} ${declared ? 'needs files in' : 'has no use for files of'} its harness`,
  );
};

export const conformance = (harness: Harness): void => {
  const found = manifests.find(({ id }) => id === harness.connector);
  if (!found) throw new Error(`connectors/catalog.ts has no ${harness.connector}`);
  const manifest = found;
  const title = `${harness.connector}: ${harness.system}`;
  const checks = allChecks.filter((check) => applies(check, manifest, harness));

  describe(title, () => {
    let system: System | undefined;
    const results = new Map<string, string>();

    beforeAll(async () => {
      system = await harness.start();
    }, startMs);
    afterAll(async () => {
      await system?.stop();
    });

    for (const check of checks) {
      const reason = check.never ?? harness.skips?.[check.name];
      if (reason !== undefined) {
        results.set(check.name, `skipped: ${reason}`);
        test.skip(`${check.name} (${reason})`, () => undefined);
        continue;
      }
      test(check.name, async () => {
        if (!system) throw new Error('the system did not start');
        const { trial, end } = makeTrial(harness, manifest, system);
        try {
          await check.run(trial);
          results.set(check.name, 'passed');
        } finally {
          await end();
        }
      });
    }

    if (callForFiles(manifest, harness) && harness.files) {
      storeSuite({ ...harness.files, title: 'files' });
    }

    test('no reason is given for a check that there is not', () => {
      const names = checks.map(({ name }) => name);
      expect(Object.keys(harness.skips ?? {}).filter((name) => !names.includes(name))).toEqual([]);
    });

    test('docs/conformance.md says what was seen', async () => {
      const seen = checks.map(({ part, name }): Seen => ({
        part,
        check: name,
        result: results.get(name) ?? 'failed',
      }));
      expect(seen.filter(({ result }) => result === 'failed')).toEqual([]);
      await holdToReport(title, [...seen, ...filesSeen(harness)]);
    });
  });
};
