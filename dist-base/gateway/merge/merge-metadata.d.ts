import { type Part } from "./part.js";
import type { LabelTables } from "./row-tensors.js";
import type { Segment } from "./segments.js";
export interface MergedRows {
    readonly parts: readonly Part[];
    readonly segments: readonly Segment[];
    /** All sessions of the parts, in the order of the batch. */
    readonly sessionIds: readonly string[];
    /** Undefined if the parts have no row columns. */
    readonly labels: LabelTables | undefined;
}
/** Returns the `__metadata__` of the whole batch. Its keys have the order in which a single server writes them. */
export declare function mergeMetadata(rows: MergedRows, layout: string): Record<string, string>;
