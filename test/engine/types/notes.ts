/** Why things become what they become: words for what was seen, and for nothing else. */
import { code } from './markdown.js';
import type { Refusal } from './observe.js';

export interface Explanation {
  /** Types that have it in common. */
  from: readonly string[];
  to: string;
  why: string;
}

export interface Notes {
  converted(from: string, to: string): void;
  refused(refusal: Refusal): void;
  /** Throws where something was seen that nobody has explained, or explained that was not seen. */
  conversions(): string;
  refusals(): string;
}

const listed = (words: readonly string[]): string => words.map(code).join(', ');

/** Columns have names of ours here, which say nothing. */
const withoutNames = (message: string): string => message.replace(/\bcolumn c\d+/g, 'column …');

export const makeNotes = (explanations: readonly Explanation[]): Notes => {
  const conversions = new Set<string>();
  const messages = new Map<string, string>();
  const keysOf = ({ from, to }: Explanation): string[] => from.map((type) => `${type} → ${to}`);
  return {
    converted: (from, to) => void conversions.add(`${from} → ${to}`),
    refused: ({ code: word, message }) => void messages.set(withoutNames(message), word),
    conversions: () => {
      const known = new Set(explanations.flatMap(keysOf));
      const unexplained = [...conversions].filter((key) => !known.has(key));
      const unseen = [...known].filter((key) => !conversions.has(key));
      if (unexplained.length > 0) throw new Error(`without explanation: ${unexplained.join('; ')}`);
      if (unseen.length > 0) throw new Error(`explained and not seen: ${unseen.join('; ')}`);
      return explanations
        .map(({ from, to, why }) => `- ${listed(from)} → ${code(to)}: ${why}`)
        .join('\n');
    },
    refusals: () =>
      [...messages]
        .map(([message, word]) => `- ${code(word)}: ${message}`)
        .sort()
        .join('\n'),
  };
};
