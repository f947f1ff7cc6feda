/** Why things become what they become: words for what was seen, and for nothing else. */
import { code } from './markdown.js';
import { conversionOf } from './verdict.js';
import type { Verdict } from './verdict.js';

export interface Explanation {
  /** Types that have it in common. */
  from: readonly string[];
  to: string;
  why: string;
}

export interface Notes {
  of(verdict: Verdict, isSame: boolean): void;
  /** Throws where something was seen that nobody has explained, or explained that was not seen. */
  conversions(): string;
  refusals(): string;
}

const listed = (words: readonly string[]): string => words.map(code).join(', ');

export const makeNotes = (explanations: readonly Explanation[]): Notes => {
  const conversions = new Set<string>();
  const messages = new Map<string, string>();
  const keysOf = ({ from, to }: Explanation): string[] => from.map((type) => `${type} → ${to}`);
  return {
    of: (verdict, isSame) => {
      const conversion = conversionOf(verdict, isSame);
      if (conversion !== undefined) conversions.add(conversion);
      for (const { refusal } of verdict.refused) messages.set(refusal.message, refusal.code);
    },
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
      [...messages].map(([message, word]) => `- ${code(word)}: ${message}`).join('\n'),
  };
};
