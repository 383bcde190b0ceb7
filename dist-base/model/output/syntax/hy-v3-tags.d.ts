import { type CallStructure } from "../structure/call-structure.js";
import type { CallSyntax } from "./call-syntax.js";
interface HyV3Tags {
    /** An example of a call, in Markdown. */
    readonly example: string;
    readonly think: {
        readonly begin: string;
        readonly end: string;
    };
    readonly syntax: CallSyntax;
    readonly structure: CallStructure;
}
/**
 * Returns how Tencent Hy3 writes calls and reasoning: the name, a separator, and pairs of keys and values.
 *
 * @param suffix the end of every tag's name, which differs between checkpoints
 */
export declare function hyV3Tags(suffix: string): HyV3Tags;
export {};
