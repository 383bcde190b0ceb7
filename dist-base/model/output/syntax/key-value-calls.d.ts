import type { CallSyntax } from "./call-syntax.js";
interface Tags {
    readonly begin: string;
    readonly end: string;
}
/** Calls whose arguments are pairs of a key and a value, each between separate tags. */
export interface KeyValueSyntax extends Tags {
    /** Tags around one or several calls. */
    readonly section?: Tags;
    /** The text after the function's name. Undefined if the first key or the end of the call follows. */
    readonly nameEnd?: string;
    readonly key: Tags;
    readonly value: Tags;
}
/** Returns the syntax of calls with key-value pairs. */
export declare function keyValueCalls(syntax: KeyValueSyntax): CallSyntax;
export {};
