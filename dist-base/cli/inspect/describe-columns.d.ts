import { type InspectedColumns } from "./columns.js";
/**
 * Summarizes the row columns of a batch: a table of name, values and meaning, and the names of columns that are 0 or
 * none in every row.
 */
export declare function describeColumns(columns: InspectedColumns, rows: number): {
    table: string[][];
    silent: string[];
};
