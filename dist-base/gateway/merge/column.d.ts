import type { TensorSpec } from "../../support/safetensors/write-header.js";
import type { Segment, SegmentUnit } from "./segments.js";
/** A tensor of the batch. `chunks` creates its bytes. */
export interface Column extends TensorSpec {
    readonly chunks: () => Iterable<Uint8Array>;
}
/** Size of a chunk. It is small enough that creating one does not block the event loop. */
export declare const CHUNK_BYTES: number;
/** Yields the values of each segment without changes, as views of the parts. */
export declare function readSlices(segments: readonly Segment[], name: string, per: SegmentUnit): Generator<Uint8Array>;
/**
 * Yields int32 values that are indices of rows or tokens of their part, changed to indices of the whole batch. Negative
 * values stand for "none" and stay.
 *
 * @param counts the unit of the indices
 */
export declare function shiftIndices(segments: readonly Segment[], name: string, per: SegmentUnit, counts: SegmentUnit): Generator<Uint8Array>;
/** Returns a column of the given values. */
export declare function int32Column(name: string, values: Int32Array): Column;
export declare function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array;
/** Returns the number of rows, tokens or turns of all segments. */
export declare function countUnits(segments: readonly Segment[], per: SegmentUnit): number;
