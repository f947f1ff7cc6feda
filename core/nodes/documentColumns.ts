import { Type } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { checkTypeWord, columnsOptions, typeWordSchema } from './fields.js';

/** Columns of records that have no form of their own, for those who know better than a sample. */
export const documentColumnsSchema = () =>
  Type.Array(Type.Object({ name: nameSchema(), type: typeWordSchema() }), {
    ...columnsOptions,
    description:
      'All columns with their types: the members of that name. Default: found out from samples',
  });

interface DocumentColumn {
  name: string;
  type: string;
}

export const checkDocumentColumns = (
  columns: readonly DocumentColumn[] | undefined,
  at: string,
): Issue[] => [
  ...checkNewColumns(
    (columns ?? []).map(({ name }) => name),
    (index) => `${at}/${index}/name`,
  ),
  ...(columns ?? []).flatMap(({ type }, index) => checkTypeWord(type, `${at}/${index}/type`)),
];
