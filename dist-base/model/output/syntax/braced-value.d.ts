import type { OutputReader, Step } from "../reader/reader.js";
/** Objects in braces whose keys are bare and whose strings stand between quote markers: `{key:<|"|>text<|"|>,n:1}`. */
export interface BracedSyntax {
    /** The marker before and after a string, which has no escapes. */
    readonly quote: string;
    /** The marker that ends the call. A string that it cuts off is malformed. */
    readonly end: string;
}
/**
 * Reads the members of an object whose opening brace is taken, and the closing brace.
 *
 * @param add takes the key and the JSON text of each member
 * @returns true if the object is well formed
 */
export declare function readBracedMembers(reader: OutputReader, syntax: BracedSyntax, add: (key: string, json: string) => void, depth?: number): Step<boolean>;
