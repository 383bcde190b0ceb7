import { ROW_COLUMNS, type RowColumn } from "../../session/batch/row-columns.js";
import type { TensorFile, TensorValues } from "../../support/safetensors/tensor-file.js";
import { readFacts } from "./metadata.js";

/** A `row_*` tensor of a batch. */
export interface InspectedColumn {
  readonly column: RowColumn;
  /** One for each row, or each node of a tree. */
  readonly values: TensorValues;
  /** Texts by their codes; empty unless the values are codes. */
  readonly labels: readonly string[];
}

/** By name, in the order of the registry. */
export type InspectedColumns = ReadonlyMap<string, InspectedColumn>;

/**
 * Reads the row columns that a file has. A tensor that is not one value per row is left aside.
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

/** The code of a text that the batch has no room to explain. */
const OVER_LIMIT = -2;

/** Returns the text of a row, undefined if it has none. */
export function labelOf({ values, labels }: InspectedColumn, row: number): string | undefined {
  const code = values[row] ?? -1;
  if (code === OVER_LIMIT) return "one that is not listed";
  return code < 0 ? undefined : (labels[code] ?? `code ${code}`);
}

/** Of each text of a column, how many rows have it. */
export function countLabels(column: InspectedColumn): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let row = 0; row < column.values.length; row++) {
    const label = labelOf(column, row);
    if (label !== undefined) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}
