import type { Api, CallFacts } from "./interaction.js";
import type { RecordedSampling } from "./recorded-sampling.js";
/**
 * The facts of a call that fill the row columns of a batch.
 *
 * Native memory keeps them next to the tokens: numbers and flags as 32-bit words ({@link FACTS}), recurring texts as
 * labels ({@link LABELS}). A row column refers to its fact or label by slot.
 */
export interface RecordedCall extends CallFacts {
    readonly api: Api;
    readonly finishReason: string;
    /** Milliseconds since the epoch, when the call completed. */
    readonly createdAt: number;
}
/** The sampling of a call that was recorded without parameters: temperature 1, no truncation, no penalties. */
export declare const PLAIN_SAMPLING: RecordedSampling;
type ReadFact = (sampling: RecordedSampling, call: RecordedCall) => number;
interface Fact {
    readonly dtype: "I32" | "F32" | "BOOL";
    readonly read: ReadFact;
}
/** The value of a call whose reasoning had no enforced limit. */
export declare const NO_BUDGET = -1;
/** The value of a count that is not known. */
export declare const NOT_RECORDED = -1;
/** Facts by name, in the order of their slots. Add new facts at the end: calls that were stored earlier have no value for them. */
export declare const FACTS: {
    readonly attempt: Fact;
    readonly resumes: Fact;
    readonly created_at: Fact;
    readonly latency: Fact;
    readonly temperature: Fact;
    readonly sampling_temperature: Fact;
    readonly top_p: Fact;
    readonly top_k: Fact;
    readonly min_p: Fact;
    readonly frequency_penalty: Fact;
    readonly presence_penalty: Fact;
    readonly max_tokens: Fact;
    readonly seed: Fact;
    readonly seed_high: Fact;
    readonly greedy: Fact;
    readonly grammar: Fact;
    readonly seeded: Fact;
    readonly sampling_overridden: Fact;
    readonly tools: Fact;
    readonly placeholders: Fact;
    readonly repetition_penalty: Fact;
    readonly min_tokens: Fact;
    readonly ignore_eos: Fact;
    readonly logit_bias: Fact;
    readonly choice: Fact;
    readonly choices: Fact;
    readonly thinking_budget: Fact;
};
export type FactName = keyof typeof FACTS;
/** Returns the position of a fact among the words of an interaction. */
export declare function factSlot(name: FactName): number;
/** Returns one word per fact, with the bits of the fact's dtype; BOOL is 0 or 1. The next call of this function overwrites them. */
export declare function encodeFacts(call: RecordedCall): Uint32Array;
/**
 * Labels by column, in the order of their slots. Stored sessions have the labels by slot, so add new ones at the end. In every
 * batch, the known texts of a column have the codes 0, 1, 2, ….
 */
export declare const LABELS: {
    readonly finish_reason: {
        readonly known: readonly ["stop", "length", "tool_calls"];
        readonly read: ({ finishReason }: RecordedCall) => string;
    };
    readonly cause: {
        readonly known: readonly ["history_rewritten", "system_changed", "no_answer", "tools_changed", "template_args_changed", "answer_among_new_messages", "template_moves_context", "system_message_moved", "template_refuses", "answer_opened_otherwise", "no_end_of_turn", "rerendered"];
        readonly read: (_: RecordedCall, cause: string | undefined) => string | undefined;
    };
    readonly api: {
        readonly known: readonly ["chat.completions", "responses", "messages", "generate_content"];
        readonly read: ({ api }: RecordedCall) => Api;
    };
    readonly requested_model: {
        readonly known: readonly [];
        readonly read: ({ requestedModel }: RecordedCall) => string | undefined;
    };
    readonly logprob_content: {
        readonly known: readonly ["temperature", "truncated", "raw", "unknown"];
        readonly read: ({ sampling }: RecordedCall) => import("./recorded-sampling.js").LogprobContent;
    };
    readonly dropped_tools: {
        readonly known: readonly [];
        readonly read: ({ droppedTools }: RecordedCall) => string | undefined;
    };
    readonly tag: {
        readonly known: readonly [];
        readonly read: ({ tag }: RecordedCall) => string | undefined;
    };
    readonly request_kind: {
        readonly known: readonly [];
        readonly read: ({ hints }: RecordedCall) => string | undefined;
    };
};
export type LabelName = keyof typeof LABELS;
export declare function labelSlot(name: LabelName): number;
/**
 * Returns the labels of one call, in the order of their slots; "" if it has none.
 *
 * @param cause why the prompt does not continue its parent's tokens. Used only if it does not
 */
export declare function encodeLabels(call: RecordedCall, cause?: string): string[];
export {};
