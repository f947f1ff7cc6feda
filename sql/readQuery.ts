import type { CommonTable, Expression, QueryNode, TableRef } from './ast.js';
import { expectOnly, fieldsOf, listIn, placeIn, textIn, Unfamiliar } from './fields.js';
import type { Fields } from './fields.js';
import { makeExpressionReader } from './readExpression.js';

const read = makeExpressionReader((value) => readQuery(value));

const modifier = (value: unknown): readonly Expression[] => {
  const fields = fieldsOf(value, 'modifier');
  expectOnly(fields, textIn(fields, 'type'), [
    ...['type', 'orders', 'limit', 'offset', 'distinct_on_targets'],
  ]);
  return [
    ...read.orders(listIn(fields, 'orders')).map(({ expression }) => expression),
    ...[read.optional(fields['limit']), read.optional(fields['offset'])].filter(
      (part) => part !== undefined,
    ),
    ...read.expressions(fields, 'distinct_on_targets'),
  ];
};

const commonTable = (value: unknown): CommonTable => {
  const entry = fieldsOf(value, 'WITH');
  const fields = fieldsOf(entry['value'], 'WITH');
  expectOnly(fields, 'WITH', ['aliases', 'query', 'materialized', 'key_targets']);
  return {
    name: textIn(entry, 'key'),
    query: readQuery(fieldsOf(fields['query'], 'WITH')['node']),
    keys: read.expressions(fields, 'key_targets'),
  };
};

const pivot = (fields: Fields): Extract<TableRef, { kind: 'pivot' }> => {
  const axes = listIn(fields, 'pivots').map((axis) => fieldsOf(axis, 'PIVOT'));
  const expressions = axes.flatMap((axis) => {
    expectOnly(axis, 'PIVOT', ['pivot_expressions', 'unpivot_names', 'entries', 'pivot_enum']);
    const entries = listIn(axis, 'entries').map((entry) => fieldsOf(entry, 'PIVOT'));
    for (const entry of entries) expectOnly(entry, 'PIVOT', ['values', 'star_expr', 'alias']);
    return [
      ...read.expressions(axis, 'pivot_expressions'),
      ...entries.flatMap((entry) => read.optional(entry['star_expr']) ?? []),
    ];
  });
  return {
    kind: 'pivot',
    alias: textIn(fields, 'alias'),
    at: placeIn(fields),
    source: readTable(fields['source']),
    expressions: [...read.expressions(fields, 'aggregates'), ...expressions],
    enumName: axes.map((axis) => textIn(axis, 'pivot_enum')).join(''),
  };
};

const readTable = (value: unknown): TableRef => {
  const fields = fieldsOf(value, 'FROM');
  const common = { alias: textIn(fields, 'alias'), at: placeIn(fields) };
  const only = (...names: string[]): void => {
    const frame = ['type', 'alias', 'query_location', 'sample', 'column_name_alias'];
    expectOnly(fields, textIn(fields, 'type'), [...frame, ...names]);
  };
  switch (fields['type']) {
    case 'EMPTY':
      only();
      return { ...common, kind: 'none' };
    case 'BASE_TABLE':
      only('schema_name', 'table_name', 'catalog_name');
      return {
        ...common,
        kind: 'table',
        name: textIn(fields, 'table_name'),
        qualifiers: [textIn(fields, 'catalog_name'), textIn(fields, 'schema_name')].filter(
          (part) => part !== '',
        ),
      };
    case 'JOIN':
      only('left', 'right', 'condition', 'join_type', 'ref_type', 'using_columns');
      return {
        ...common,
        kind: 'join',
        left: readTable(fields['left']),
        right: readTable(fields['right']),
        condition: read.optional(fields['condition']),
      };
    case 'SUBQUERY':
      only('subquery');
      return {
        ...common,
        kind: 'subquery',
        query: readQuery(fieldsOf(fields['subquery'], 'subquery')['node']),
      };
    case 'TABLE_FUNCTION':
      only('function', 'with_ordinality');
      return { ...common, kind: 'function', call: read.call(fields['function']) };
    case 'EXPRESSION_LIST':
      only('values');
      return {
        ...common,
        kind: 'values',
        rows: listIn(fields, 'values').map((row) => read.expressions({ row }, 'row')),
      };
    case 'PIVOT':
      only('source', 'aggregates', 'unpivot_names', 'pivots', 'groups', 'include_nulls');
      return pivot(fields);
    case 'SHOW_REF':
      return { ...common, kind: 'show' };
  }
  throw new Unfamiliar(`FROM ${textIn(fields, 'type')}`, common.at);
};

export const readQuery = (value: unknown): QueryNode => {
  const fields = fieldsOf(value, 'query');
  const type = textIn(fields, 'type');
  const only = (...names: string[]): void => {
    expectOnly(fields, type, ['type', 'modifiers', 'cte_map', ...names]);
  };
  const modifiers = listIn(fields, 'modifiers');
  const frame = {
    commonTables: listIn(fieldsOf(fields['cte_map'] ?? {}, 'WITH'), 'map').map(commonTable),
    modifiers: modifiers.flatMap(modifier),
    modified: modifiers.length > 0,
  };
  switch (type) {
    case 'SELECT_NODE': {
      only(
        ...['select_list', 'from_table', 'where_clause', 'group_expressions', 'group_sets'],
        ...['aggregate_handling', 'having', 'sample', 'qualify'],
      );
      const having = read.optional(fields['having']);
      const qualify = read.optional(fields['qualify']);
      return {
        ...frame,
        kind: 'select',
        select: listIn(fields, 'select_list').map((part) => read.expression(part)),
        from: readTable(fields['from_table']),
        where: read.optional(fields['where_clause']),
        groups: read.expressions(fields, 'group_expressions'),
        shaped:
          fields['aggregate_handling'] !== 'STANDARD_HANDLING' ||
          listIn(fields, 'group_sets').length > 0 ||
          Boolean(fields['sample']) ||
          having !== undefined ||
          qualify !== undefined,
        having,
        qualify,
      };
    }
    case 'SET_OPERATION_NODE':
      only('setop_type', 'left', 'right', 'setop_all');
      return {
        ...frame,
        kind: 'set',
        left: readQuery(fields['left']),
        right: readQuery(fields['right']),
      };
    case 'RECURSIVE_CTE_NODE':
      only('cte_name', 'union_all', 'left', 'right', 'aliases', 'key_targets');
      return {
        ...frame,
        kind: 'recursive',
        name: textIn(fields, 'cte_name'),
        left: readQuery(fields['left']),
        right: readQuery(fields['right']),
        keys: read.expressions(fields, 'key_targets'),
      };
  }
  throw new Unfamiliar(type);
};
