import { ROW_COLUMNS, type RowColumn } from "../../session/batch/row-columns.js";
import type { TensorFile, TensorValues } from "../../support/safetensors/tensor-file.js";
import { readFacts } from "./metadata.js";

/** A `row_*` tensor of a batch. */
export interface InspectedColumn {
  readonly column: RowColumn;
  /** One value per row, or per node of a tree. */
  readonly values: TensorValues;
  /** Labels by code; empty unless the values are codes. */
  readonly labels: readonly string[];
}

/** Columns by name, in the order of `ROW_COLUMNS`. */
export type InspectedColumns = ReadonlyMap<string, InspectedColumn>;

/**
 * Reads the row columns of a file. Tensors that do not have one value per row are ignored.
 *
 * @param wanted names of the columns; default: all
 */
export async function readRowColumns(
  file: TensorFile,
  rows: number,
  wanted?: readonly string[],
): Promise<InspectedColumns> {
  const { labels = {} } = readFacts(file.header);
  const columns = new Map<string, InspectedColumn>();
  for (const column of ROW_COLUMNS) {
    if (!column.perRow || (wanted && !wanted.includes(column.name))) continue;
    const values = await file.values(`row_${column.name}`, rows);
    if (values) columns.set(column.name, { column, values, labels: labels[column.name] ?? [] });
  }
  return columns;
}

/** The code of labels over the limit, which the batch does not list. */
const OVER_LIMIT = -2;

/** Returns the label of a row; undefined if it has none. */
export function readLabel({ values, labels }: InspectedColumn, row: number): string | undefined {
  const code = values[row] ?? -1;
  if (code === OVER_LIMIT) return "not listed";
  return code < 0 ? undefined : (labels[code] ?? `code ${code}`);
}

/** Returns the number of rows for each label of a column; none without a column. */
export function countLabels(column: InspectedColumn | undefined): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  if (!column) return counts;
  for (let row = 0; row < column.values.length; row++) {
    const label = readLabel(column, row);
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}
