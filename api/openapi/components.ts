import type { TSchema } from '@sinclair/typebox';
import { mapSchemas, shape } from '../shape.js';
import type { JsonSchema, ShapeOptions } from '../shape.js';

/**
 * Schemas with a title are published once, under it. A request's variant (closed, bounded) differs
 * from the answer's and gets a name of its own.
 */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** As the validators see it. */
  request(schema: TSchema | JsonSchema, options: ShapeOptions): JsonSchema {
    return this.publish(shape(schema, options), 'Input');
  }

  response(schema: TSchema | JsonSchema): JsonSchema {
    return this.publish(shape(schema, { closeObjects: false, bounded: false }), '');
  }

  private publish(schema: JsonSchema, suffix: string): JsonSchema {
    return mapSchemas(schema, (node) => this.reference(publicForm(node), suffix));
  }

  private reference(node: JsonSchema, suffix: string): JsonSchema {
    const { title } = node;
    if (typeof title !== 'string') return node;
    const name = title + suffix;
    const known = this.schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(node)) {
      throw new Error(`Two different schemas are titled ${name}.`);
    }
    this.schemas[name] = node;
    return { $ref: `#/components/schemas/${name}` };
  }
}

/** Our own keywords and formats in words that other tools know. */
const publicForm = ({ int64, ...node }: JsonSchema): JsonSchema => {
  if (int64 === true) return { ...node, type: 'integer', format: 'int64' };
  if (node['format'] === 'timestamp-input') return { ...node, format: 'date-time' };
  return node;
};
