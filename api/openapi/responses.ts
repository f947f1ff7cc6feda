import type { TSchema } from '@sinclair/typebox';
import type { RouteFacts } from '../route.js';
import type { JsonSchema } from '../shape.js';

const object = (properties: Readonly<Record<string, unknown>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

const cursor = { type: ['string', 'null'], description: 'Null on the last page.' };
const pageMeta = object({ page: object({ limit: { type: 'integer' }, cursor }) });

const entity = (type: string, attributes: JsonSchema): JsonSchema =>
  object({ id: { type: 'string' }, type: { type: 'string', const: type }, attributes });

const list = (items: JsonSchema, meta: JsonSchema | undefined): JsonSchema => {
  const data = { type: 'array', items };
  return meta ? object({ data, meta }) : object({ data });
};

const listMeta = ({ envelope }: RouteFacts): JsonSchema | undefined => {
  if (envelope.kind !== 'list') return undefined;
  if (envelope.family === 'B') return pageMeta;
  if (envelope.meta === 'page') return pageMeta;
  if (envelope.meta === 'cursor') return object({ cursor });
  return envelope.meta && object({ total: { type: 'integer', description: 'All matches.' } });
};

/** The whole body of an answer: what the envelope puts around what the handler gives. */
export const dressedSchema = (
  route: RouteFacts,
  publish: (schema: TSchema) => JsonSchema,
): JsonSchema => {
  const { envelope } = route;
  const value = route.response ? publish(route.response) : {};
  const item =
    envelope.family === 'B' && (envelope.kind === 'one' || envelope.kind === 'list')
      ? entity(envelope.type, value)
      : value;
  if (envelope.kind === 'list') return list(item, listMeta(route));
  const wrapped = envelope.kind === 'one' && (envelope.family === 'B' || envelope.family === 'C');
  return wrapped ? object({ data: item }) : item;
};
