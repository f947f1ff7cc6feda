import type { Expression, QueryNode, TableRef } from './ast.js';

const given = (...expressions: readonly (Expression | undefined)[]): readonly Expression[] =>
  expressions.filter((expression) => expression !== undefined);

/** The expressions directly within one; the query of a subquery is not among them. */
export const childrenOf = (expression: Expression): readonly Expression[] => {
  switch (expression.kind) {
    case 'column':
    case 'constant':
    case 'parameter':
    case 'position':
    case 'default':
      return [];
    case 'function':
      return [
        ...expression.children,
        ...given(expression.filter),
        ...expression.orders.map((order) => order.expression),
      ];
    case 'window':
      return [
        ...expression.children,
        ...given(expression.filter),
        ...expression.partitions,
        ...[...expression.orders, ...expression.argumentOrders].map((order) => order.expression),
        ...expression.bounds,
      ];
    case 'comparison':
      return [expression.left, expression.right];
    case 'conjunction':
    case 'operator':
      return expression.children;
    case 'between':
      return [expression.input, expression.lower, expression.upper];
    case 'case':
      return [
        ...expression.branches.flatMap((branch) => [branch.when, branch.then]),
        expression.otherwise,
      ];
    case 'cast':
    case 'collate':
      return [expression.child];
    case 'lambda':
      return [expression.left, expression.body];
    case 'subquery':
      return given(expression.child);
    case 'star':
      return [...given(expression.expression), ...expression.replacements];
  }
};

/** The expressions directly within a query; those of its FROM and of queries in it are not. */
export const expressionsOf = (node: QueryNode): readonly Expression[] => {
  const keys = node.commonTables.flatMap((table) => table.keys);
  switch (node.kind) {
    case 'select':
      return [
        ...node.select,
        ...given(node.where),
        ...node.groups,
        ...given(node.having, node.qualify),
        ...node.modifiers,
        ...keys,
      ];
    case 'set':
      return [...node.modifiers, ...keys];
    case 'recursive':
      return [...node.keys, ...node.modifiers, ...keys];
  }
};

/** The expressions directly within one entry of FROM. */
export const expressionsIn = (table: TableRef): readonly Expression[] => {
  switch (table.kind) {
    case 'none':
    case 'table':
    case 'subquery':
    case 'show':
      return [];
    case 'function':
      return childrenOf(table.call);
    case 'join':
      return given(table.condition);
    case 'values':
      return table.rows.flat();
    case 'pivot':
      return table.expressions;
  }
};
