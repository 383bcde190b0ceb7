/**
 * Finds where one JSON value (RFC 8259) ends or becomes invalid in a text that arrives in parts. The cost is linear in
 * the length of the text, independent of the parts.
 */
export declare class JsonScanner {
    #private;
    /** `open`: the value continues. `done`: it has ended. `broken`: the next character is not allowed. */
    state: "open" | "done" | "broken";
    /**
     * Takes the part of the value that begins at `from`. Returns where the value ends or breaks, or the end of the text.
     */
    scan(text: string, from?: number): number;
    /** Ends the text. A number may end here. */
    finish(): void;
}
/** Returns true if a text is one JSON value without white space around it. */
export declare function isJson(text: string): boolean;
