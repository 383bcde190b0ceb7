/** Returns true if a pattern matches a whole text: see {@link compilePattern}. */
export declare function matchesPattern(text: string, pattern: string): boolean;
/**
 * Returns the test of a pattern for many texts. `*` stands for any characters, every other character for itself.
 *
 * A pattern with one `*` takes linear time. Each part between two stars is searched for once, while a regular expression with several
 * `.*` tries combinations.
 */
export declare function compilePattern(pattern: string): (text: string) => boolean;
