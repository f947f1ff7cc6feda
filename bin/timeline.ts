import type { History } from '@temporalio/common/lib/proto-utils.js';

type Event = NonNullable<History['events']>[number];

const millis = ({ eventTime }: Event): number =>
  Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6;

/** Event types worth a line: the rest is Temporal talking to itself. */
const silent = /^workflowTask/;

const attributesOf = (event: Event): [string, Record<string, unknown>] => {
  const entry = Object.entries(event).find(
    ([key, value]) => key.endsWith('EventAttributes') && value,
  );
  return [
    entry?.[0].replace('EventAttributes', '') ?? 'unknown',
    (entry?.[1] ?? {}) as Record<string, unknown>,
  ];
};

interface FailureLike {
  message?: string;
  cause?: FailureLike;
  applicationFailureInfo?: { type?: string };
}

const failureText = (failure: FailureLike | null | undefined): string => {
  if (!failure) return '';
  const { message = '', cause, applicationFailureInfo } = failure;
  const type = applicationFailureInfo?.type;
  const own = type ? `${type}: ${message}` : message;
  return cause ? `${own} ← ${failureText(cause)}` : own;
};

/** Texts as they are, the protocol's 64-bit numbers by their digits. */
const textOf = (value: unknown): string =>
  (value as { toString(): string } | undefined)?.toString() ?? '';

const detailOf = (attributes: Record<string, unknown>, names: Map<string, string>): string[] => {
  const scheduled = textOf(attributes['scheduledEventId']);
  const type = attributes['activityType'] as { name?: string } | undefined;
  const attempt = attributes['attempt'] as number | undefined;
  const failure = (attributes['failure'] ?? attributes['lastFailure']) as FailureLike | undefined;
  return [
    type?.name ?? names.get(scheduled) ?? textOf(attributes['signalName']),
    attempt !== undefined && attempt > 1 ? `attempt ${attempt}` : '',
    failureText(failure),
  ].filter((part) => part !== '');
};

/** What happened, when, how often it was tried and why it failed: one line an event. */
export const timeline = ({ events }: History): string[] => {
  const first = events?.[0];
  const names = new Map<string, string>();
  const lines: string[] = [];
  for (const event of events ?? []) {
    const [kind, attributes] = attributesOf(event);
    const name = (attributes['activityType'] as { name?: string } | undefined)?.name;
    if (name) names.set(textOf(event.eventId), name);
    if (silent.test(kind)) continue;
    const offset = first ? ((millis(event) - millis(first)) / 1000).toFixed(3) : '0';
    const detail = detailOf(attributes, names).join(', ');
    lines.push(
      `${textOf(event.eventId).padStart(5)} +${offset.padStart(9)}s  ${kind}  ${detail}`.trimEnd(),
    );
  }
  return lines;
};
