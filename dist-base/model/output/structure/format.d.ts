/**
 * Formats of xgrammar's structural tags, which SGLang and vLLM accept. Only formats that every version since 0.1.25
 * has. Source: xgrammar's documentation of structural tags.
 */
export type Format = {
    readonly type: "const_string";
    readonly value: string;
} | {
    readonly type: "any_text";
} | {
    readonly type: "regex";
    readonly pattern: string;
} | {
    readonly type: "grammar";
    readonly grammar: string;
} | {
    readonly type: "json_schema";
    readonly json_schema: unknown;
} | {
    readonly type: "sequence";
    readonly elements: readonly Format[];
} | {
    readonly type: "or";
    readonly elements: readonly Format[];
} | TagFormat | (TagList & {
    readonly type: "tags_with_separator";
    readonly separator: string;
}) | (TagList & {
    readonly type: "triggered_tags";
    readonly triggers: readonly string[];
});
/** `content` between two texts. Free text in it ends before `end`. */
export interface TagFormat {
    readonly type: "tag";
    readonly begin: string;
    readonly content: Format;
    readonly end: string;
}
interface TagList {
    readonly tags: readonly TagFormat[];
    /** The text begins with one of the tags. */
    readonly at_least_one: boolean;
    readonly stop_after_first: boolean;
}
export declare const ANY_TEXT: Format;
/** A grammar in xgrammar's EBNF. */
export declare const grammar: (rules: string) => Format;
export declare const constant: (value: string) => Format;
export declare const regex: (pattern: string) => Format;
export declare const json: (schema: unknown) => Format;
export declare const tag: (begin: string, content: Format, end: string) => TagFormat;
export declare const optional: (format: Format) => Format;
export declare function sequence(elements: readonly Format[]): Format;
export declare function oneOf(elements: readonly Format[]): Format;
export {};
