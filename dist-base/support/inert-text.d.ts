/**
 * Makes untrusted text from agents or files safe to print: control characters, invisible characters and those that
 * change the direction of writing become spaces.
 */
export declare function makeInert(text: string): string;
/** Does the same for text of several lines, and keeps its line breaks. */
export declare function makeInertLines(text: string): string;
