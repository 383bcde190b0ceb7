import { Attempt } from "./attempt.js";
/** An attempt that was read from disk. */
export interface RestoredAttempt {
    /** Identifies the request; undefined if it is not known. */
    readonly request: string | undefined;
    /** How often the client had sent the request before. */
    readonly retryCount: number;
    /** True if the client received the answer. A later request with the same content is then not a retry of this attempt. */
    readonly answered: boolean;
    /** Index of the interaction of the retry; undefined if no retry was recorded. */
    readonly repeatedBy: number | undefined;
    /** True if a later request named the interaction. */
    readonly referenced: boolean;
}
/**
 * Pairs each retry of a request with the attempt that it repeats.
 *
 * An SDK reports how often it sent a request before, but not which calls these were. Several samples of one prompt look the same. So a retry
 * is paired with the attempt that has the next lower retry count. If several have it, it is the one whose answer most likely did not
 * reach the client:
 *
 * 1. one that failed,
 * 2. else the newest recorded one whose answer was not delivered,
 * 3. else the newest recorded one,
 * 4. else the oldest that is still running.
 *
 * Attempts may arrive in the wrong order. If an attempt arrives after its own retry, the `idempotency-key` shows this. It is then put
 * between the attempts with the next lower and the next higher retry count. Without a key it may be another sample of the same prompt,
 * so it is not paired.
 *
 * No attempt is paired with two retries. If a retry fails, the attempt that it repeats is free for the next retry.
 */
export declare class RequestAttempts {
    #private;
    /** @param onRepeated called with an interaction once its retry is recorded too */
    constructor(isUndelivered: (interaction: number) => boolean, onRepeated?: (interaction: number) => void);
    /** True if a failed attempt waits for its retry. */
    get hasFailed(): boolean;
    /** Returns the index of the interaction that is the first recorded retry of `interaction`; undefined if no retry was recorded. */
    repeatedBy(interaction: number): number | undefined;
    /** Restores the attempts of a stored session. `stored[i]` belongs to interaction i. */
    restore(stored: readonly RestoredAttempt[]): void;
    /** Recorded attempts that have a retry, by interaction index. */
    get repeated(): ReadonlyMap<number, Attempt>;
    /** @param retryCount how often the client had sent the request before */
    begin(request: string, retryCount: number): Attempt;
    record(attempt: Attempt, interaction: number): void;
    fail(attempt: Attempt): void;
    clear(): void;
}
