/**
 * A piece of an assistant message while it is generated, in the order in which the model writes it. The model's room
 * adds token positions to text, protocols add log probabilities.
 */
export type MessageDelta = {
    readonly type: "reasoning";
    readonly text: string;
} | TextDelta
/** A well-formed call. Its complete arguments follow in the next piece. Calls are numbered from 0. */
 | {
    readonly type: "tool_call";
    readonly index: number;
    readonly id: string;
    readonly name: string;
}
/** The arguments of the call, as JSON text. */
 | {
    readonly type: "tool_call_arguments";
    readonly index: number;
    readonly text: string;
};
export interface TextDelta {
    readonly type: "text";
    readonly text: string;
}
