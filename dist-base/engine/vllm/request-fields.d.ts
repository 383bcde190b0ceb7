import type { SamplingParams } from "../engine.js";
export interface RequestFields {
    readonly sampling: SamplingParams;
    /** The rest of the call's token budget. */
    readonly maxTokens: number;
    /** The rest of the call's least number of tokens. */
    readonly minTokens: number;
    readonly model: string;
    readonly requestId: string;
    readonly stream: boolean;
    /** Request one alternative more than the call needs; see {@link generateSuffix}. */
    readonly oneMore?: boolean;
    /** Maximum number of reasoning tokens; undefined for no limit. */
    readonly thinkingBudget?: number | undefined;
}
export declare const GENERATE_PREFIX = "{\"token_ids\":";
export declare const COMPLETIONS_PREFIX = "{\"prompt\":";
/**
 * Returns the part of the body of `/inference/v1/generate` (vLLM's token_in_token_out protocol) that follows the token ids.
 * Every field that changes the result is sent, so no server default applies.
 *
 * The server lists the sampled token first, then the most likely tokens, in total as many as requested. If the sampled
 * token is not among the most likely, the last alternative is missing, so one more is requested.
 */
export declare function generateSuffix(fields: RequestFields): string;
/** Returns the same part for `/v1/completions`, where sampling parameters are top-level fields. */
export declare function completionsSuffix(fields: RequestFields): string;
