/** A token of a template. Names, operators and the delimiters of tags keep their spelling in `text`. */
export type Token = {
    /** Position in the source, for messages. */
    readonly at: number;
} & ({
    readonly type: "data" | "name" | "operator" | Delimiter | "end";
    readonly text: string;
} | {
    readonly type: "string";
    readonly text: string;
} | {
    readonly type: "integer";
    readonly text: string;
    readonly value: number | bigint;
} | {
    readonly type: "float";
    readonly text: string;
    readonly value: number;
});
/** `{{`, `}}`, `{%` and `%}`, with their signs for white space. */
export type Delimiter = "expression_begin" | "expression_end" | "tag_begin" | "tag_end";
/** Returns an error that names the line of a position in a template. */
export declare function syntaxError(source: string, at: number, problem: string): Error;
