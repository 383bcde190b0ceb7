import { type Column } from "./column.js";
import { type Part } from "./part.js";
import type { Segment } from "./segments.js";
/** The labels of each label column of the whole batch, in the order of their codes. */
export type LabelTables = Readonly<Record<string, readonly string[]>>;
/** Merges the row and turn columns of the parts. They have the native core's order: 4-byte elements, then BOOL. */
export declare class RowTensors {
    #private;
    constructor([first]: readonly Part[], segments: readonly Segment[]);
    /** The value of `row_codes` in the metadata; undefined if the parts have no row columns. */
    get labels(): LabelTables | undefined;
    /** @param width `wide`: the columns with 4-byte elements, `cu_turns` included; `bool`: those of dtype BOOL */
    columns(width: "wide" | "bool"): Column[];
}
