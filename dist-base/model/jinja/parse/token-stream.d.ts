import { type Token } from "./token.js";
/** The tokens of a template, read one after the other. */
export declare class TokenStream {
    #private;
    constructor({ source, tokens }: {
        readonly source: string;
        readonly tokens: readonly Token[];
    });
    /** The token that is read next. */
    get current(): Token;
    /** The token after the current one. */
    get following(): Token;
    /** Takes the current token. The end is never passed. */
    take(): Token;
    isOperator(...spellings: readonly string[]): boolean;
    isName(...names: readonly string[]): boolean;
    /** Takes the current token if it is this operator. */
    acceptOperator(spelling: string): boolean;
    /** Takes the current token if it is this name. */
    acceptName(name: string): boolean;
    expectOperator(spelling: string): void;
    expectName(): string;
    /** Takes the end of a tag or of an expression. */
    expectEnd(type: "tag_end" | "expression_end"): void;
    unexpected(expected: string): Error;
    /** Returns an error that names the line of the current token. */
    error(problem: string): Error;
}
