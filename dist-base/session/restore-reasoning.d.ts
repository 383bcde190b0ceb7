import type { Message } from "../conversation/message.js";
import { type Interaction } from "./interaction.js";
/**
 * Gives messages whose reasoning the client did not send in a readable form the reasoning that was recorded with the same answer.
 *
 * @param messages a request's messages
 * @param ancestors the interactions that the request continues, in any order
 */
export declare function restoreReasoning(messages: readonly Message[], ancestors: Iterable<Interaction>): Message[];
