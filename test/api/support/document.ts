import { Ajv2020 } from 'ajv/dist/2020.js';

type Node = Readonly<Record<string, unknown>>;

export interface Document extends Node {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Node> };
}

interface Operation {
  operationId: string;
  tags: string[];
  parameters: { name: string; in: string; required: boolean; schema: Node }[];
  requestBody?: { content: Record<string, { schema: Node }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Node }> }>;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const references = (value: unknown): string[] => {
  if (!isNode(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === 'string' ? [$ref] : [];
  return [...own, ...Object.values(value).flatMap(references)];
};

const resolve = (document: Document, reference: string): unknown =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((node, step) => (isNode(node) ? node[step] : undefined), document);

const schemasOf = ({ parameters, requestBody, responses }: Operation): Node[] =>
  [
    ...parameters.map(({ schema }) => schema),
    ...[requestBody, ...Object.values(responses)].flatMap((part) =>
      Object.values(part?.content ?? {}).map(({ schema }) => schema),
    ),
  ].filter(isNode);

/** What is wrong with an OpenAPI document; empty when tools can rely on it. */
export const findDocumentProblems = (document: Document): string[] => {
  const problems: string[] = [];
  const seen = new Set<string>();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const reference of references(document)) {
    if (!resolve(document, reference)) problems.push(`${reference} leads nowhere`);
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, operation })),
  );
  for (const { path, operation } of operations) {
    const { operationId, tags, parameters, responses } = operation;
    const say = (wrong: boolean, problem: string): void => {
      if (wrong) problems.push(`${operationId}: ${problem}`);
    };
    say(seen.has(operationId), 'its id is there twice');
    seen.add(operationId);
    say(tags.length === 0, 'it has no tag');
    const named = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]);
    const inPath = parameters.filter((one) => one.in === 'path');
    say(
      named.join() !== inPath.map(({ name }) => name).join() || inPath.some((one) => !one.required),
      'its path parameters are not those of the path',
    );
    const places = parameters.map((one) => `${one.in} ${one.name}`);
    say(new Set(places).size !== places.length, 'a parameter is there twice');
    say(!Object.keys(responses).some((status) => status.startsWith('2')), 'it never succeeds');
    say(
      Object.values(responses).some(({ description }) => description === ''),
      'an answer has no description',
    );
    for (const schema of schemasOf(operation)) {
      say(ajv.validateSchema(schema) !== true, `a schema is none: ${ajv.errorsText()}`);
    }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (ajv.validateSchema(schema) !== true) problems.push(`${name} is no schema`);
  }
  return problems;
};
