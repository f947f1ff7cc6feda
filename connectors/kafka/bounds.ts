import type { TopicBound } from '../../core/nodes/topicBounds.js';
import type { Role } from '../manifest.js';
import type { Cluster, Topic } from './cluster.js';
import { earliest, latest, offsetsAt } from './offsets.js';

/** Messages of a partition: up to but without `to`. */
export interface Part {
  partition: number;
  from: number;
  to: number;
}

/** The whole millisecond from which on a message is from this moment on. */
export const millisecondsOf = (moment: string): number => {
  const [, fraction = ''] = /\.(\d+)/.exec(moment) ?? [];
  const whole = Date.parse(moment.replace(/\.\d+/, '').replace(' ', 'T'));
  const digits = fraction.padEnd(9, '0');
  return whole + Number(digits.slice(0, 3)) + (Number(digits.slice(3)) > 0 ? 1 : 0);
};

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

/** What is to be read of each partition, fixed to offsets; empty ones are left out. */
export const boundedParts = async (
  cluster: Cluster,
  topic: Topic,
  { from, to }: { from?: TopicBound; to?: TopicBound },
  role: Role,
): Promise<Part[]> => {
  const starts = await offsetsAt(cluster, topic, earliest, role);
  const ends = await offsetsAt(cluster, topic, latest, role);
  /** Where nothing is as late as the moment, it lies behind the end. */
  const placesOf = async (bound: TopicBound): Promise<(partition: number) => number> => {
    if (typeof bound === 'number') return () => bound;
    const found = await offsetsAt(cluster, topic, millisecondsOf(bound), role);
    return (partition) => {
      const offset = found.get(partition) ?? -1;
      return offset < 0 ? Infinity : offset;
    };
  };
  const fromAt = from === undefined ? () => 0 : await placesOf(from);
  const toAt = to === undefined ? () => Infinity : await placesOf(to);
  return [...topic.leaders.keys()]
    .sort((left, right) => left - right)
    .map((partition) => {
      const start = starts.get(partition) ?? 0;
      const end = ends.get(partition) ?? 0;
      return {
        partition,
        from: clamp(fromAt(partition), start, end),
        to: clamp(toAt(partition), start, end),
      };
    })
    .filter((part) => part.from < part.to);
};
