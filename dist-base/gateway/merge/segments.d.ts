import { type Part } from "./part.js";
type Range = readonly [from: number, to: number];
/** The rows (in trees: nodes), tokens and turns of one session, or of several in sequence, in a part. Ranges are half-open. */
export interface Segment {
    readonly part: Part;
    readonly rows: Range;
    readonly tokens: Range;
    readonly turns: Range;
}
export type SegmentUnit = "rows" | "tokens" | "turns";
/**
 * Returns the segments of the sessions in the order of `sessionIds`. Sessions that follow each other in the same part share a
 * segment. A session without rows has no segment.
 *
 * @param offsets name of the tensor with the start of each row's tokens: `cu_seqlens`, or `node_offsets` in trees
 */
export declare function findSegments(parts: readonly Part[], sessionIds: readonly string[], offsets: string): Segment[];
export {};
