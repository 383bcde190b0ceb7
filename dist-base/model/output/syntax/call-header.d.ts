import type { OutputReader, Step } from "../reader/reader.js";
/** Returns the function name in a header, without white space around it; undefined if the text is not a name. */
export declare function parseCallName(text: string): string | undefined;
/** Reads text up to the first of these markers, which is not taken. Undefined if the output ends before one comes. */
export declare function readUpTo(reader: OutputReader, markers: readonly string[]): Step<{
    readonly text: string;
    readonly marker: string;
} | undefined>;
