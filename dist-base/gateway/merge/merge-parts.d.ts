import { type Padding } from "./padded-columns.js";
import type { Part } from "./part.js";
export type BatchLayout = "padded" | "packed" | "tree";
export interface MergeOptions extends Padding {
    readonly layout: BatchLayout;
}
/** A planned batch. Its bytes are created while they are sent. */
export interface MergedBatch {
    readonly byteLength: number;
    /** The safetensors file, in pieces. */
    chunks(): Generator<Uint8Array>;
}
/** Returns the layout of the parts. Parts of a padded batch are packed, because rows are padded to the longest of all parts. */
export declare function partLayout(layout: BatchLayout): "packed" | "tree";
/**
 * Merges the parts of several workers. The result is byte for byte the file that one worker with all these sessions would
 * send.
 *
 * @param sessionIds all sessions of the parts, in the order of the batch
 * @throws {@link ApiError} `batch_too_large` if offsets or the header do not fit the format
 */
export declare function mergeParts(parts: readonly Part[], sessionIds: readonly string[], options: MergeOptions): MergedBatch;
