/** The value of a YAML text, or why it is not YAML: one sentence per error, with line and column. */
export type YamlResult = {
    readonly value: unknown;
} | {
    readonly errors: readonly string[];
};
/**
 * Reads YAML 1.2. The value of a text key keeps its spelling, so that an admin key of sixteen digits is not read as a
 * number.
 *
 * @param at path in the configuration that the text is the value of; empty for a whole configuration
 */
export declare function readYaml(text: string, at?: readonly string[]): YamlResult;
