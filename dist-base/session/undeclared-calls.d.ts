import type { Conversation, Message } from "../conversation/message.js";
/** The tools that a request declared. */
export type DeclaredTools = Pick<Conversation, "tools" | "loadedTools">;
/** An answer of the session that was found in the messages of a request. */
export interface FoundAnswer {
    /** Index of the interaction. */
    readonly index: number;
    /** Index of the answer among the request's messages. */
    readonly position: number;
}
/**
 * Returns the ids of the undeclared calls of an answer; undefined if there are none. If the request declared no tools, there are none,
 * because its client may still know the tools.
 */
export declare function listUndeclaredCalls(output: readonly Message[], { tools, loadedTools }: DeclaredTools): readonly string[] | undefined;
/**
 * Finds answers by the ids of calls whose tool the request had not declared.
 *
 * No client can run such a call. Some clients replace it in their history, keep its id, and give the replacement a result that describes
 * the error. For example, the AI SDK's `experimental_repairToolCall` turns it into a call of another tool. The message then differs from the
 * recorded answer, although it stands for the same answer.
 */
export declare class UndeclaredCalls {
    #private;
    /** @param ids undeclared calls of an interaction's answer */
    add(index: number, ids?: readonly string[]): void;
    /** Returns the last message of a request that has such a call. */
    findLast(messages: readonly Message[]): FoundAnswer | undefined;
    /** Returns `message` with the undeclared calls of `answer` as the model wrote them. */
    restore(message: Message, answer: Message): Message;
    clear(): void;
}
