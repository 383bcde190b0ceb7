import type { RecordedMessage } from "./wire-interaction.js";
/** The values from which a chat completion is rebuilt. */
export interface CompletionFacts {
    readonly id: string;
    /** Seconds since the epoch, when the call began. */
    readonly startedAt: number;
    readonly model: string;
    readonly message: RecordedMessage;
    readonly finishReason: string;
    readonly promptTokens: number;
    readonly completionTokens: number;
}
/**
 * The answer that the agent got, in the shape of OpenAI's chat completions. Of a call with several choices, it is only one. It has no log probabilities and no usage details.
 * {@link ModelResponse} has the recorded log probabilities.
 */
export interface Completion {
    readonly id: string;
    readonly object: "chat.completion";
    /** Seconds since the epoch. */
    readonly created: number;
    readonly model: string;
    readonly choices: readonly [
        {
            readonly index: 0;
            readonly message: RecordedMessage;
            readonly finish_reason: string;
            readonly logprobs: null;
            readonly interaction_id: string;
        }
    ];
    readonly usage: {
        readonly prompt_tokens: number;
        readonly completion_tokens: number;
        readonly total_tokens: number;
    };
}
export declare function rebuildCompletion(facts: CompletionFacts): Completion;
