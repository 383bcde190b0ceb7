import { type RowColumn } from "../../session/batch/row-columns.js";
import type { TensorFile, TensorValues } from "../../support/safetensors/tensor-file.js";
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
export declare function readRowColumns(file: TensorFile, rows: number, wanted?: readonly string[]): Promise<InspectedColumns>;
/** Returns the label of a row; undefined if it has none. */
export declare function readLabel({ values, labels }: InspectedColumn, row: number): string | undefined;
/** Returns the number of rows for each label of a column. */
export declare function countLabels(column: InspectedColumn): ReadonlyMap<string, number>;
