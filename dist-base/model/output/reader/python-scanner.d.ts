/**
 * Finds where a Python expression ends in a text that arrives in parts: at a comma or a closing bracket that is not part of
 * it. The cost is linear in the length of the text, independent of the parts.
 */
export declare class PythonScanner {
    #private;
    isDone: boolean;
    /** Takes the part of the expression in a text. Returns where the expression ends, or the end of the text. */
    scan(text: string): number;
}
