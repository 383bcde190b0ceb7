import type { Message } from "../../conversation/message.js";
import { type InputMessages, type Interaction } from "../interaction.js";
/** The messages of an interaction that its parent does not have. */
export interface OwnMessages {
    readonly input: InputMessages;
    readonly output: readonly Message[];
}
/** A recorded interaction in its stored form: its tokens, its messages, and the request that it answered. */
export interface StoredInteraction {
    /** The tokens: the result of the native session's `serialize`. */
    readonly native: Uint8Array;
    readonly facts: Omit<Interaction, "index" | "parent" | "tokenExact" | "templateArgs" | keyof OwnMessages>;
    /** Returns the messages. Those of a record are parsed by the first call: most sessions that are read back need only their tokens. */
    readonly messages: () => OwnMessages;
    /** Memory of the JavaScript objects once the messages are parsed, in bytes. */
    readonly objectBytes: number;
    /** "parent": the same as those of its parent. */
    readonly templateArgs: Interaction["templateArgs"] | "parent";
    /** Identifies the request, so that its retries are recognized; undefined if it cannot be retried. */
    readonly request: string | undefined;
}
/** Returns the bytes of an interaction: lengths of two JSON parts (4, 4), their checksum (4), fields, messages, tokens. */
export declare function encodeInteraction(stored: StoredInteraction): Buffer;
/**
 * Returns an interaction whose tokens are a view of `bytes`. Throws if the bytes are damaged. The tokens are checked when they are
 * restored.
 *
 * @param readMessages reads the messages when they are needed. Required if `bytes` can change before that
 */
export declare function decodeInteraction(bytes: Buffer, readMessages?: () => OwnMessages): StoredInteraction;
/** Returns the messages of an interaction. Throws if its bytes are damaged. */
export declare function decodeMessages(bytes: Buffer): OwnMessages;
