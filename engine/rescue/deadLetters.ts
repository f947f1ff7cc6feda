import { createHash } from 'node:crypto';
import { RunFailure } from '../../core/failures.js';
import type { FailureCode } from '../../core/failures.js';
import type { BadRow, Marker } from '../../connectors/connector.js';

/** A row that is given up: where, why, and what was in it as far as somebody could hold it. */
export interface DeadLetter extends BadRow {
  id: string;
  nodeId: string;
  /** JSON: column → text of the value. */
  payload: string | null;
}

/** Where dead letters go, and how many more may. */
export interface DeadLetterPort {
  /** How many rows of this split may fail, after what other splits have lost. */
  allowance(): Promise<number>;
  /**
   * Replaces what an earlier attempt of this split has left. Answers how many more may fail now:
   * less than none when splits beside this one have taken the room.
   */
  save(letters: readonly DeadLetter[]): Promise<number>;
}

/** A rule of the pipeline turned it away: meant so, and no error. */
export const ruleFailed = 'rule_failed';

const codes: Readonly<Record<string, FailureCode>> = {
  row_too_large: 'row_too_large',
  expression_error: 'expression_error',
  malformed: 'malformed_row',
};

/** What the run fails with when it may not lose the row. */
const failureOf = (
  { nodeId, row, code, message, column }: DeadLetter,
  split: number,
): RunFailure => {
  const where = column === undefined ? '' : ` (column ${column})`;
  return new RunFailure({
    code: codes[code] ?? 'destination_constraint_violation',
    class: 'schema',
    nodeId,
    message: `Row ${row + 1} of split ${split} cannot be loaded${where}: ${message} Raise maxErrors to set such rows aside.`,
  });
};

/**
 * The same row of the same split is the same letter, whichever attempt finds it. Places at different
 * nodes, and of rows that failed in another way, are counted among other rows.
 */
const idOf = ({ rootJobId, stage, split }: Marker, nodeId: string, { code, row }: BadRow): string =>
  createHash('sha256')
    .update(JSON.stringify([rootJobId, stage, split, nodeId, code, row]))
    .digest('hex');

/** A bad row, and what was in it. */
export type Found = BadRow & { payload: string | null };

/** The letters of one split, node by node; saved before the destination commits. */
export const makeLetters = (marker: Marker, port: DeadLetterPort) => {
  const byNode = new Map<string, readonly DeadLetter[]>();
  const all = (): DeadLetter[] => [...byNode.values()].flat();
  const errors = (): DeadLetter[] => all().filter(({ code }) => code !== ruleFailed);

  return {
    count: (): number => all().length,

    /** How many more may fail. */
    room: async (): Promise<number> => (await port.allowance()) - errors().length,

    /** What a node could not take, in place of what it said before; fails when it is too much. */
    set: async (nodeId: string, rows: readonly Found[]): Promise<void> => {
      const letters = rows.map((row) => ({ ...row, nodeId, id: idOf(marker, nodeId, row) }));
      byNode.set(nodeId, letters);
      const [first] = letters.filter(({ code }) => code !== ruleFailed);
      if (first && errors().length > (await port.allowance())) {
        throw failureOf(first, marker.split);
      }
    },

    /** Even none: an earlier attempt may have seen it otherwise. */
    save: async (): Promise<void> => {
      const left = await port.save(all());
      const [first] = errors();
      if (first && left < 0) throw failureOf(first, marker.split);
    },
  };
};

export type Letters = ReturnType<typeof makeLetters>;
