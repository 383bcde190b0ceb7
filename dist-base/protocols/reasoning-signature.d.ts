import type { Message } from "../conversation/message.js";
/**
 * A signature is an opaque text that an answer carries beside its reasoning: `signature` of thinking blocks, `encrypted_content` of
 * reasoning items. Many clients send it back without the text, and some drop reasoning that has none. It names the call that
 * generated the reasoning, so it stays short however long the reasoning is.
 */
/** Returns the reasoning of the call that a signature names; empty if the signature or the call is unknown. */
export type ReadReasoning = (signature: string) => string;
export declare const NO_REASONING: ReadReasoning;
/** @param interactionId id of the call whose answer contains the reasoning */
export declare const signReasoning: (interactionId: string) => string;
/** Returns the id of the call that a signature names; undefined if it is not one of Rolltape's. */
export declare function parseSignature(signature: string): string | undefined;
/** The reasoning of an assistant message. */
export type ReasoningFields = Pick<Message, "reasoning" | "hasUnknownReasoning">;
/** Collects the reasoning of one assistant message from its parts. */
export declare class SentReasoning {
    #private;
    /** @param signature any value that the client sent as the signature */
    add(text: string, signature: unknown): void;
    /** Returns the text that the client sent; if it sent signatures only, the text that they stand for. */
    read(readReasoning: ReadReasoning): ReasoningFields;
}
