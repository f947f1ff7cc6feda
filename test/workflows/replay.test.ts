import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';

const root = join(__dirname, '..', '..');
const folder = join(root, 'test', 'fixtures', 'histories');
const names = readdirSync(folder);
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

interface RecordedEvent {
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
}
interface Recorded {
  events: RecordedEvent[];
}

const replay = (history: Recorded): Promise<void> =>
  Worker.runReplayHistory(
    { workflowBundle: { codePath: join(root, 'dist', 'workflow-bundle.js') } },
    historyFromJSON(history),
  );

const scheduled = ({ events }: Recorded) =>
  events.flatMap(({ activityTaskScheduledEventAttributes: attributes }) =>
    attributes ? [attributes.activityType] : [],
  );

/** A copy in which the first two different activities have changed places. */
const swapped = (name: string): Recorded | undefined => {
  const history = JSON.parse(textOf(name)) as Recorded;
  const [first, ...rest] = scheduled(history);
  const other = rest.find((type) => type.name !== first?.name);
  if (!first || !other) return undefined;
  [first.name, other.name] = [other.name, first.name];
  return history;
};

beforeAll(() => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    // The core logs every mismatch it finds, and here most are wanted.
    telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
  });
});

test('every workflow has recordings of what can become of it', () => {
  expect(names.sort()).toEqual([
    'liveCall-success.json',
    'retention-live-tables.json',
    'retention-success.json',
    'runPipeline-cancel.json',
    'runPipeline-cancelled-before-begin.json',
    'runPipeline-continue-as-new.json',
    'runPipeline-failure.json',
    'runPipeline-holder-lost.json',
    'runPipeline-snapshot-lost.json',
    'runPipeline-snapshot.json',
    'runPipeline-success.json',
    'runPipeline-two-stages.json',
    'runPipeline-worker-loss.json',
    'undoRun-success.json',
  ]);
});

describe.each(names)('%s', (name) => {
  test('says nothing about the machine it was recorded on', () => {
    const text = textOf(name);
    expect(text).not.toMatch(
      /stackTrace|node_modules|\.[jt]s:\d+|"[/\\][^"]*"|\/(home|root|work)\//,
    );
    const identities = new Set(text.match(/"identity": "[^"]*"/g));
    expect([...identities]).toEqual(['"identity": "recorder"']);
  });

  test('replays against the workflows of this tree', async () => {
    await expect(replay(JSON.parse(textOf(name)) as Recorded)).resolves.toBeUndefined();
  });
});

describe.each(names.filter((name) => swapped(name) !== undefined))(
  '%s with two commands swapped',
  (name) => {
    test('is found out, and for no other reason', async () => {
      const history = swapped(name);
      if (!history) throw new Error('nothing to swap');
      const error: unknown = await replay(history).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DeterminismViolationError);
      expect((error as Error).message).toContain('TMPRL1100');
    });
  },
);

test('enough of them have commands to swap', () => {
  expect(names.filter((name) => swapped(name) !== undefined).length).toBeGreaterThanOrEqual(7);
});
