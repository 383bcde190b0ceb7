import type { Message } from "../conversation/message.js";
import type { ParentMatch } from "../native/contract.js";
import { type InputMessages, type Interaction } from "./interaction.js";
/** The interactions of one session in completion order. */
export declare class InteractionLog {
    #private;
    /** @param count number of interactions, if the session is on disk only */
    constructor(sessionId: string, count?: number);
    /** Number of recorded interactions. Clearing the log does not change it. */
    get count(): number;
    has(id: string): boolean;
    add(interaction: Interaction): void;
    /** Removes the interactions. Their number stays. */
    clear(): void;
    /** Returns true if an interaction has these tools. */
    hasTools(toolsKey: string): boolean;
    at(index: number): Interaction;
    /** The interaction that completed last; undefined if there are none. */
    get newest(): Interaction | undefined;
    /** Returns the interaction that completed last. Throws if there are none. */
    requireNewest(): Interaction;
    /** Returns the interaction with this id. Throws if there is none. */
    require(id: string): Interaction;
    readMessages(interaction: Interaction): Message[];
    /** Returns a request's messages as the difference to those of its parent. */
    diff(messages: readonly Message[], match: ParentMatch | undefined): InputMessages;
}
