import type { Issue } from '../../../core/errors.js';
import { nodeTypeOf } from '../../../core/nodes/index.js';
import type { NodeType } from '../../../core/nodes/nodeType.js';
import { checkSchema } from '../../../core/schema.js';

/** As a graph is checked: what the schema cannot say only once the schema is content. */
export const check = (type: NodeType, value: unknown): Issue[] => {
  const issues = checkSchema(type.config, value, '');
  return issues.length > 0 ? issues : (type.check?.(value, '') ?? []);
};

export const typed = (name: string): NodeType => {
  const type = nodeTypeOf(name);
  if (!type) throw new Error(`no type ${name}`);
  return type;
};

/** `pointer code` of what is wrong with a type's example once it is changed. */
export const faults = (name: string, change: object): string[] => {
  const type = typed(name);
  return check(type, { ...type.example, ...change }).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );
};
