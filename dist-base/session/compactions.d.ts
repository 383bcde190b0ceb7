import { type Message } from "../conversation/message.js";
import type { InteractionLog } from "./interaction-log.js";
/**
 * Finds the interaction that a new conversation was compacted from.
 *
 * An agent program that compacts a conversation asks for a summary and then starts a new conversation with the summary in
 * it. The new conversation has its own tree, or begins with the same messages as the earlier one and then leaves its answers out. It is
 * recognized in either of these cases:
 *
 * - A message contains the whole text of an earlier answer, or the part of it between `<summary>` tags. The conversation of
 *   that answer must have earlier answers; otherwise there was nothing to summarize. White space may differ.
 * - The new conversation has its own tree, and an assistant message has a tool call with the id of an earlier answer's call. A
 *   request for a summary that has its own system prompt is recognized like this, because it repeats the conversation that it
 *   summarizes. So is a resumed conversation whose first message has changed. The link names the last answer that it repeats.
 *
 * Answers are only read if a session has a second root, or a call that leaves out an earlier answer.
 */
export declare class Compactions {
    #private;
    constructor(log: InteractionLog);
    /** Returns the newest interaction whose answer the messages of a new root repeat; undefined if there is none. */
    find(messages: readonly Message[]): number | undefined;
    /**
     * Returns the newest interaction whose answer a user message contains; undefined if there is none.
     *
     * @param messages those after the messages of the parent, whose answer the call leaves out. Codex keeps the user's messages when it
     * compacts, so the new conversation can begin like the earlier one.
     */
    findSummary(messages: readonly Message[]): number | undefined;
    /** Forgets all answers. */
    clear(): void;
}
