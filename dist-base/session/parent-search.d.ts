import type { MessageFilter } from "../conversation/text-filter.js";
import type { NativeSession, ParentMatch } from "../native/contract.js";
import type { PreparedMessages } from "./completed-call.js";
import { type Interaction } from "./interaction.js";
import type { InteractionLog } from "./interaction-log.js";
/**
 * Finds the interaction of a session that a request continues.
 *
 * The native session compares digests of the messages. This class adds what digests cannot decide: answers whose calls the
 * client replaced, and interactions that differ in their tokens only. Of these, the parent is one whose answer reached the client.
 */
export declare class ParentSearch {
    #private;
    /**
     * @param native returns the current native session, which unloading replaces
     * @param isLeftOut returns true if the answer of an interaction did not reach the client, as far as is known
     */
    constructor(native: () => NativeSession, log: InteractionLog, filters: readonly MessageFilter[], isLeftOut: (index: number) => boolean);
    /** Adds a recorded interaction to the answers that are searched. */
    add({ index, undeclaredCalls }: Pick<Interaction, "index" | "undeclaredCalls">): void;
    clear(): void;
    /**
     * Returns the parent of a request. If several interactions differ in their tokens only, it is the one that the
     * request names, else the newest whose answer reached the client, else the newest.
     */
    find(prepared: PreparedMessages): ParentMatch | undefined;
    /** Returns the interactions that a request continues, its parent first. */
    listContinued(prepared: PreparedMessages): Generator<Interaction>;
    /** Returns true if a request continues the newest call, except that its system messages at the start differ. */
    changesSystem({ messages }: PreparedMessages): boolean;
}
