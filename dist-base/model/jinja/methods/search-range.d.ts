import { type Value } from "../values/value.js";
/** The part of a text in which `find` and similar methods search. */
export interface SearchRange {
    readonly text: string;
    /** Number of code points before the part. */
    readonly offset: number;
}
/**
 * Reads the optional arguments `start` and `end` of a method that searches a text. They count code points; negative ones count from
 * the end.
 *
 * @returns undefined if the range begins after the text or after its own end, where Python finds not even an empty text
 */
export declare function searchRange(text: string, start: Value | undefined, end: Value | undefined): SearchRange | undefined;
