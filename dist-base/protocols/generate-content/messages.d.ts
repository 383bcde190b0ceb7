import type { Message } from "../../conversation/message.js";
import { type ReadReasoning } from "../reasoning-signature.js";
import type { Content, SystemInstruction } from "./contents.js";
/**
 * Returns the conversation's messages, with the system prompt first.
 *
 * Clients that stream keep each chunk of an answer as a content of its own, so contents of the model that follow each other form one
 * turn. A signature shows where the next turn begins.
 */
export declare function toMessages(system: SystemInstruction | undefined, contents: readonly Content[], readReasoning: ReadReasoning): Message[];
/** Returns the signature of the last part that has one: that of the answer that the request continues. */
export declare function findLastSignature(contents: readonly Content[]): string | undefined;
