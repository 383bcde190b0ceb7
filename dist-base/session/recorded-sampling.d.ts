import type { LogprobContent } from "../native/contract.js";
export type { LogprobContent } from "../native/contract.js";
/** How the tokens of an interaction were drawn, and what their recorded log probabilities include. */
export interface RecordedSampling {
    /**
     * Divisor of the logits that reproduces the recorded log probabilities: 1 when sampling was greedy, and 1 when the
     * engine reports raw log probabilities.
     */
    readonly temperature: number;
    /** The temperature that tokens were drawn with; 0 when greedy. */
    readonly samplingTemperature: number;
    readonly greedy: boolean;
    /** 1 is off. */
    readonly topP: number;
    /** 0 is off. */
    readonly topK: number;
    /** 0 is off. */
    readonly minP: number;
    readonly seed: number | undefined;
    readonly frequencyPenalty: number;
    readonly presencePenalty: number;
    /** 1 is off. */
    readonly repetitionPenalty: number;
    /** 0 is off. */
    readonly minTokens: number;
    /** True if the model's own stop tokens did not end the output. */
    readonly ignoreEos: boolean;
    /** True if the request changed the logits of tokens. */
    readonly logitBias: boolean;
    /** Limit of reasoning tokens that the engine enforced; undefined if there was none. */
    readonly thinkingBudget: number | undefined;
    /** Limit of output tokens that was sent to the engine. */
    readonly maxTokens: number;
    /** True if a grammar limited the tokens (structured output, enforced tool calls). */
    readonly grammar: boolean;
    /** Content of the recorded log probabilities. */
    readonly logprobs: LogprobContent;
    /** True if the configuration replaced a value of the request. */
    readonly overridden: boolean;
}
/** Returns the divisor of the logits that reproduces log probabilities recorded with this sampling temperature. */
export declare function recordedTemperature(samplingTemperature: number, logprobs: LogprobContent): number;
