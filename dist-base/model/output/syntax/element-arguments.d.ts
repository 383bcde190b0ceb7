import type { OutputReader, Step } from "../reader/reader.js";
/** Tags that are named after the members of an object: `open` NAME `>`…`close` NAME `>`. */
export interface ElementSyntax {
    readonly open: string;
    readonly close: string;
}
/** Reads elements up to a closing tag of something else, and returns the JSON text of each member. Undefined: malformed. */
export declare function readArgumentElements(reader: OutputReader, syntax: ElementSyntax, schema: unknown): Step<readonly (readonly [key: string, json: string])[] | undefined>;
