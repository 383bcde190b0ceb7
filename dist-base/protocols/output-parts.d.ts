import type { MessageDelta, TextDelta } from "../conversation/message-delta.js";
import { type Logprobs, type RecordedTokens } from "./logprobs.js";
interface TextRun extends TextDelta {
    /** Log probabilities of the tokens of this text, if the request asks for them. */
    readonly logprobs?: readonly RecordedTokens[];
}
/** A part of an output. The log probabilities of a stored response may be JSON already. */
type TextPart = TextDelta & {
    readonly logprobs?: Logprobs;
};
/** A piece of an output, from which stream events are written. */
export type AnswerEvent = Exclude<MessageDelta, TextDelta> | TextRun;
/** A run of an output. It becomes one item of a response, or one block of a message. */
export type OutputPart = {
    readonly type: "reasoning";
    readonly text: string;
} | TextPart | {
    readonly type: "tool_call";
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
};
/** Adds an event to the parts of an output: extends the last part or appends a new one. */
export declare function addToParts(parts: OutputPart[], event: AnswerEvent): void;
/** Returns the memory of the log probabilities of all texts, in bytes. */
export declare function measurePartLogprobs(parts: readonly OutputPart[]): number;
export {};
