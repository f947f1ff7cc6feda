import type {
  Comparison,
  Expression,
  FunctionExpression,
  Operator,
  Order,
  QueryNode,
} from './ast.js';
import { expectOnly, fieldsOf, listIn, placeIn, textIn, textsIn, Unfamiliar } from './fields.js';
import type { Fields } from './fields.js';
import { readConstant, readType } from './readValue.js';

const frame = ['class', 'type', 'alias', 'query_location'];

const comparisons: ReadonlyMap<string, Comparison> = new Map([
  ['COMPARE_EQUAL', '='],
  ['COMPARE_NOTEQUAL', '<>'],
  ['COMPARE_LESSTHAN', '<'],
  ['COMPARE_LESSTHANOREQUALTO', '<='],
  ['COMPARE_GREATERTHAN', '>'],
  ['COMPARE_GREATERTHANOREQUALTO', '>='],
  ['COMPARE_DISTINCT_FROM', 'distinct'],
  ['COMPARE_NOT_DISTINCT_FROM', 'not distinct'],
]);

const operators: ReadonlyMap<string, Operator> = new Map([
  ['OPERATOR_NOT', 'not'],
  ['OPERATOR_IS_NULL', 'is null'],
  ['OPERATOR_IS_NOT_NULL', 'is not null'],
  ['COMPARE_IN', 'in'],
  ['COMPARE_NOT_IN', 'not in'],
  ['OPERATOR_COALESCE', 'coalesce'],
  ['ARRAY_EXTRACT', 'element'],
  ['ARRAY_SLICE', 'slice'],
  ['STRUCT_EXTRACT', 'field'],
  ['ARRAY_CONSTRUCTOR', 'array'],
  ['OPERATOR_TRY', 'try'],
  ['OPERATOR_UNPACK', 'unpack'],
  ['GROUPING_FUNCTION', 'grouping'],
]);

const qualifiersOf = (fields: Fields): readonly string[] =>
  [textIn(fields, 'catalog'), textIn(fields, 'schema')].filter((part) => part !== '');

export interface ExpressionReader {
  expression(value: unknown): Expression;
  /** The list in a field. */
  expressions(fields: Fields, name: string): readonly Expression[];
  /** Undefined for null. */
  optional(value: unknown): Expression | undefined;
  orders(orders: readonly unknown[]): readonly Order[];
  call(value: unknown): FunctionExpression;
}

/** Expressions and queries hold each other, so the one reader is handed the other. */
export const makeExpressionReader = (
  readQuery: (value: unknown) => QueryNode,
): ExpressionReader => {
  const expressionsIn = (fields: Fields, name: string): readonly Expression[] =>
    listIn(fields, name).map(readExpression);

  const optional = (value: unknown): Expression | undefined =>
    value === null || value === undefined ? undefined : readExpression(value);

  const present = (...values: readonly unknown[]): readonly Expression[] =>
    values.flatMap((value) => optional(value) ?? []);

  const readOrders = (orders: readonly unknown[]): readonly Order[] =>
    orders.map((order) => {
      const fields = fieldsOf(order, 'order');
      expectOnly(fields, 'order', ['type', 'null_order', 'expression']);
      return {
        expression: readExpression(fields['expression']),
        descending: fields['type'] === 'DESCENDING',
      };
    });

  const readFunction = (value: unknown): FunctionExpression => {
    const fields = fieldsOf(value, 'function');
    expectOnly(fields, 'FUNCTION', [
      ...[...frame, 'function_name', 'schema', 'catalog', 'children', 'filter'],
      ...['order_bys', 'distinct', 'is_operator'],
    ]);
    const orders = fieldsOf(fields['order_bys'], 'order_bys');
    expectOnly(orders, 'order_bys', ['type', 'orders']);
    return {
      kind: 'function',
      alias: textIn(fields, 'alias'),
      at: placeIn(fields),
      name: textIn(fields, 'function_name'),
      qualifiers: qualifiersOf(fields),
      children: expressionsIn(fields, 'children'),
      filter: optional(fields['filter']),
      distinct: fields['distinct'] === true,
      orders: readOrders(listIn(orders, 'orders')),
    };
  };

  const window = (
    fields: Fields,
    common: { alias: string; at: number | undefined },
  ): Expression => {
    expectOnly(fields, 'WINDOW', [
      ...[...frame, 'function_name', 'schema', 'catalog', 'children', 'partitions', 'orders'],
      ...['start', 'end', 'start_expr', 'end_expr', 'offset_expr', 'default_expr', 'ignore_nulls'],
      ...['filter_expr', 'exclude_clause', 'distinct', 'arg_orders'],
    ]);
    return {
      ...common,
      kind: 'window',
      name: textIn(fields, 'function_name'),
      qualifiers: qualifiersOf(fields),
      children: expressionsIn(fields, 'children'),
      filter: optional(fields['filter_expr']),
      distinct: fields['distinct'] === true,
      orders: readOrders(listIn(fields, 'orders')),
      partitions: expressionsIn(fields, 'partitions'),
      argumentOrders: readOrders(listIn(fields, 'arg_orders')),
      bounds: present(
        ...['start_expr', 'end_expr', 'offset_expr', 'default_expr'].map((name) => fields[name]),
      ),
    };
  };

  const star = (fields: Fields, common: { alias: string; at: number | undefined }): Expression => {
    expectOnly(fields, 'STAR', [
      ...[...frame, 'relation_name', 'exclude_list', 'replace_list', 'columns', 'expr'],
      ...['qualified_exclude_list', 'rename_list'],
    ]);
    return {
      ...common,
      kind: 'star',
      relation: textIn(fields, 'relation_name'),
      columns: fields['columns'] === true,
      expression: optional(fields['expr']),
      replacements: listIn(fields, 'replace_list').map((entry) =>
        readExpression(fieldsOf(entry, 'REPLACE')['value']),
      ),
    };
  };

  const readExpression = (value: unknown): Expression => {
    const fields = fieldsOf(value, 'expression');
    const common = { alias: textIn(fields, 'alias'), at: placeIn(fields) };
    const only = (...names: string[]): void => {
      expectOnly(fields, textIn(fields, 'class'), [...frame, ...names]);
    };
    const child = (name: string): Expression => readExpression(fields[name]);
    switch (fields['class']) {
      case 'COLUMN_REF':
        only('column_names');
        return { ...common, kind: 'column', path: textsIn(fields, 'column_names') };
      case 'CONSTANT':
        return readConstant(fields);
      case 'FUNCTION':
        return readFunction(fields);
      case 'WINDOW':
        return window(fields, common);
      case 'COMPARISON': {
        only('left', 'right');
        const operator = comparisons.get(textIn(fields, 'type'));
        if (!operator) break;
        return {
          ...common,
          kind: 'comparison',
          operator,
          left: child('left'),
          right: child('right'),
        };
      }
      case 'CONJUNCTION': {
        only('children');
        const operator = fields['type'] === 'CONJUNCTION_AND' ? 'and' : 'or';
        return {
          ...common,
          kind: 'conjunction',
          operator,
          children: expressionsIn(fields, 'children'),
        };
      }
      case 'OPERATOR': {
        only('children');
        const operator = operators.get(textIn(fields, 'type'));
        if (!operator) break;
        return {
          ...common,
          kind: 'operator',
          operator,
          children: expressionsIn(fields, 'children'),
        };
      }
      case 'BETWEEN':
        only('input', 'lower', 'upper');
        return {
          ...common,
          kind: 'between',
          input: child('input'),
          lower: child('lower'),
          upper: child('upper'),
        };
      case 'CASE':
        only('case_checks', 'else_expr');
        return {
          ...common,
          kind: 'case',
          branches: listIn(fields, 'case_checks').map((check) => {
            const branch = fieldsOf(check, 'WHEN');
            expectOnly(branch, 'WHEN', ['when_expr', 'then_expr']);
            return {
              when: readExpression(branch['when_expr']),
              then: readExpression(branch['then_expr']),
            };
          }),
          otherwise: child('else_expr'),
        };
      case 'CAST':
        only('child', 'cast_type', 'try_cast');
        return {
          ...common,
          kind: 'cast',
          child: child('child'),
          type: readType(fields['cast_type']),
          forgiving: fields['try_cast'] === true,
        };
      case 'LAMBDA':
        only('lhs', 'expr');
        return { ...common, kind: 'lambda', left: child('lhs'), body: child('expr') };
      case 'COLLATE':
        only('child', 'collation');
        return {
          ...common,
          kind: 'collate',
          child: child('child'),
          collation: textIn(fields, 'collation'),
        };
      case 'SUBQUERY':
        only('subquery_type', 'subquery', 'child', 'comparison_type');
        return {
          ...common,
          kind: 'subquery',
          child: optional(fields['child']),
          query: readQuery(fieldsOf(fields['subquery'], 'subquery')['node']),
        };
      case 'STAR':
        return star(fields, common);
      case 'PARAMETER':
        return { ...common, kind: 'parameter' };
      case 'POSITIONAL_REFERENCE':
        return { ...common, kind: 'position' };
      case 'DEFAULT':
        return { ...common, kind: 'default' };
    }
    throw new Unfamiliar(`${textIn(fields, 'class')} ${textIn(fields, 'type')}`, common.at);
  };

  return {
    expression: readExpression,
    expressions: expressionsIn,
    optional,
    orders: readOrders,
    call: readFunction,
  };
};
