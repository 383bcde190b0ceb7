import type { Conversation, Message } from "./message.js";
/** Estimates how many characters the prompt of this conversation has. This is much faster than rendering the prompt. */
export declare function estimateCharacters({ messages, tools }: Conversation): number;
/** Sums a measure of all texts of a message. Ids and names are texts too: an agent chooses their length. */
export declare function sumTexts({ content, reasoning, toolCalls, toolCallId, name }: Message, measure: (text: string) => number): number;
/**
 * Returns about how many characters a JSON value has, without writing it.
 *
 * @param value JSON of limited depth: this function recurses
 */
export declare function valueLength(value: unknown): number;
