import type { SamplingParams } from "../engine.js";
export declare const REQUEST_PREFIX = "{\"input_ids\":";
export interface RequestFields {
    readonly sampling: SamplingParams;
    /** Number of tokens that the call has already. */
    readonly tokens: number;
    /** Maximum number of reasoning tokens; undefined for no limit. Only for servers that enforce it. */
    readonly thinkingBudget?: number | undefined;
    readonly rid: string;
    readonly stream: boolean;
}
/**
 * Returns the part of the body of `/generate` (SGLang's `GenerateReqInput`) that follows the input ids. Every field that
 * changes the result is sent; the server would take missing ones from generation_config.json or from its defaults.
 *
 * `stop` is the exception: missing and empty mean the same, and a server without a tokenizer refuses it.
 */
export declare function requestSuffix({ sampling, tokens, thinkingBudget, rid, stream }: RequestFields): string;
