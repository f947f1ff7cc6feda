import type { Issue } from '../errors.js';
import { isStorableText } from '../text.js';
import type { LooseGraph } from './graph.js';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

export const field = (thing: unknown, key: string): unknown =>
  typeof thing === 'object' && thing !== null ? (thing as Record<string, unknown>)[key] : undefined;

/** A graph of thousands of nodes is a mistake of a program, and costs what a graph costs squared. */
const mostNodes = 500;
const mostEdges = 2_000;

const atMost = (things: readonly unknown[], most: number, at: string): Issue[] =>
  things.length <= most
    ? []
    : [{ pointer: at, code: 'too_many', message: `At most ${most} are allowed.` }];

const requireTexts = (thing: unknown, keys: readonly string[], at: string): Issue[] =>
  keys.flatMap((key) =>
    isText(field(thing, key))
      ? []
      : [
          {
            pointer: `${at}/${key}`,
            code: 'required',
            message: `${key} is a text that is not empty.`,
          },
        ],
  );

const optionalTexts = (thing: unknown, keys: readonly string[], at: string): Issue[] =>
  keys.flatMap((key) =>
    field(thing, key) === undefined || isText(field(thing, key))
      ? []
      : [{ pointer: `${at}/${key}`, code: 'type', message: `${key} is a text.` }],
  );

/** Ids are keys in our database and in the destination's markers. */
const longestId = 200;

const checkIds = (things: readonly unknown[], at: string): Issue[] =>
  things.flatMap((thing, index) => {
    const id = field(thing, 'id');
    if (!isText(id) || (id.length <= longestId && isStorableText(id))) return [];
    const message = `An id has at most ${longestId} characters, and no NUL.`;
    return [{ pointer: `${at}/${index}/id`, code: 'id', message }];
  });

const duplicateIds = (things: readonly unknown[], at: string, what: string): Issue[] => {
  const seen = new Set<unknown>();
  return things.flatMap((thing, index) => {
    const id = field(thing, 'id');
    if (!isText(id)) return [];
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const message = `Another ${what} has this id.`;
    return [{ pointer: `${at}/${index}/id`, code: 'duplicate_id', message }];
  });
};

/** What even a draft must have: fields of the right type, and ids that tell things apart. */
export const checkShape = ({ nodes, edges }: LooseGraph): Issue[] => [
  ...atMost(nodes, mostNodes, '/nodes'),
  ...atMost(edges, mostEdges, '/edges'),
  ...nodes.flatMap((node, index) => requireTexts(node, ['id', 'type'], `/nodes/${index}`)),
  ...edges.flatMap((edge, index) => [
    ...requireTexts(edge, ['id', 'source', 'target'], `/edges/${index}`),
    ...optionalTexts(edge, ['sourcePort', 'targetPort'], `/edges/${index}`),
  ]),
  ...checkIds(nodes, '/nodes'),
  ...checkIds(edges, '/edges'),
  ...duplicateIds(nodes, '/nodes', 'node'),
  ...duplicateIds(edges, '/edges', 'edge'),
];
