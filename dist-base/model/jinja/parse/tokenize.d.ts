import { type Token } from "./token.js";
/**
 * Cuts a template into tokens, with the options of `transformers`: `trim_blocks` and `lstrip_blocks`. All line ends become
 * newlines, and one at the end of the template is removed.
 *
 * @returns the tokens, of which the last one is the end
 * @throws Error on invalid syntax
 */
export declare function tokenize(template: string): {
    readonly source: string;
    readonly tokens: readonly Token[];
};
