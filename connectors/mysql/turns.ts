import { createHash } from 'node:crypto';
import { RunFailure } from '../../core/failures.js';
import type { Delivery } from '../connector.js';
import type { Session } from './session.js';

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32);

export const deliveryDigest = ({ rootJobId, stage }: Delivery): string =>
  digestOf(`${rootJobId}\0${stage}`);

const busy = (): RunFailure =>
  new RunFailure({
    code: 'destination_unreachable',
    class: 'transient',
    message: 'Another session has been at work on the same table for two minutes. Try again.',
  });

/**
 * Whoever changes tables for one thing takes turns: statements that do so commit by themselves, and
 * no lock on a row outlives them. The turn lasts until the session ends, and a session whose line
 * is cut ends only when its statement has.
 */
export const takeTurn = async (session: Session, what: string): Promise<void> => {
  const [row] = await session.rows('select get_lock(?, 120) as taken', [
    `_fluxline_${digestOf(what)}`,
  ]);
  if (row?.['taken'] !== '1') throw busy();
};
