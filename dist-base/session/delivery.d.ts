import type { InteractionInfo } from "../native/contract.js";
import { RequestAttempts, type RestoredAttempt } from "./attempts.js";
/**
 * Why an interaction is left out of batches by default.
 *
 * - `undelivered`: the client's connection closed before the last content of the answer was sent.
 * - `retried`: the client sent the request again and continued from the answer to the retry.
 */
export type LeftOutReason = "undelivered" | "retried";
export interface LeftOutInteraction {
    readonly index: number;
    readonly reason: LeftOutReason;
}
/** Facts of the conversation tree that show whether the client has the answer of an interaction. */
type Evidence = Pick<InteractionInfo, "children" | "ownReward">;
/**
 * Decides which answers of a session did not reach its client.
 *
 * A child, an own reward or a later reference shows that the client has the answer, whatever happened to the
 * connection. Each of these may come late, so every query decides anew from what is known at that time.
 */
export declare class Delivery {
    #private;
    readonly attempts: RequestAttempts;
    /**
     * @param onChange called with an interaction when it was answered or repeated
     * @param choicesOf returns the interactions that were answered together with one, and this one. Default: only this one
     */
    constructor(evidenceOf: (index: number) => Evidence, onChange?: (index: number) => void, choicesOf?: (index: number) => readonly number[]);
    /** Notes that the answer of an interaction is about to be sent. */
    awaitAnswer(index: number): void;
    /** True if an answer was not sent yet. */
    get awaitsAnswers(): boolean;
    /** Notes that the whole answer of an interaction was handed to the operating system. */
    answered(index: number): void;
    /** Returns true unless the answer of the interaction may have been lost. */
    wasAnswered(index: number): boolean;
    /** Restores the deliveries of a stored session. `interactions[i]` belongs to interaction i. One that was not answered counts as closed early. */
    restore(interactions: readonly RestoredAttempt[]): void;
    /** Notes that the connection closed before the interaction's last content was handed to the operating system. */
    closedEarly(index: number): void;
    /** Notes that a later request named the interaction. */
    referTo(index: number): void;
    /** Returns true if a later request named the interaction. */
    wasReferenced(index: number): boolean;
    /** Returns why batches leave the interaction out by default; undefined if they do not. */
    leftOut(index: number): LeftOutReason | undefined;
    /**
     * Returns all interactions that are left out, by ascending index. Examines only those that closed early or have a
     * retry.
     */
    allLeftOut(): LeftOutInteraction[];
    clear(): void;
    /** Forgets everything, until {@link restore}. */
    unload(): void;
}
export {};
