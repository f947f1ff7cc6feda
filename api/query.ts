import type { Issue } from '../core/errors.js';
import { isStorable, pointerStep, unstorableMessage } from './wireText.js';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** Name and value pairs of a query or a form; undefined where the percent-encoding is broken. */
export const parsePairs = (text: string): Pairs | undefined => {
  if (text === '') return [];
  try {
    return text
      .replace(/\+/g, ' ')
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        return at < 0
          ? ([decodeURIComponent(pair), ''] as const)
          : ([
              decodeURIComponent(pair.slice(0, at)),
              decodeURIComponent(pair.slice(at + 1)),
            ] as const);
      });
  } catch {
    return undefined;
  }
};

export interface PairRules {
  /** Declared names; true where the value is a list and may repeat. */
  names: ReadonlyMap<string, boolean>;
  /** The catalog's clients send what they like: unknown names pass, of repeated ones the first counts. */
  tolerant: boolean;
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

/** Pairs to an object with declared names only; what does not fit is an issue that names it. */
export const gatherPairs = (
  pairs: Pairs,
  { names, tolerant }: PairRules,
  issues: Issue[],
): Record<string, string | string[]> => {
  const gathered: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    const repeats = names.get(name);
    if (repeats === undefined) {
      if (tolerant) continue;
      issues.push({
        pointer: pointerStep(name),
        code: 'unknown_parameter',
        message: `There is no parameter ${shown(name)} here.`,
      });
    } else if (!isStorable(value)) {
      issues.push({ pointer: pointerStep(name), code: 'text', message: unstorableMessage });
    } else if (repeats) {
      gathered[name] = [...((gathered[name] as string[] | undefined) ?? []), value];
    } else if (gathered[name] === undefined) {
      gathered[name] = value;
    } else if (!tolerant) {
      issues.push({
        pointer: pointerStep(name),
        code: 'repeated',
        message: `The parameter ${shown(name)} may be given once.`,
      });
    }
  }
  return gathered;
};
