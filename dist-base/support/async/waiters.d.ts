import type { AbortSource } from "./abort-source.js";
/** Tasks that wait for the same event. All of them continue when it happens. */
export declare class Waiters {
    #private;
    /** Resumes every task that waits now. */
    wake(): void;
    /** Resolves with true when woken, with false after `milliseconds` or when the signal aborts. */
    wait(milliseconds: number, signal?: AbortSource): Promise<boolean>;
}
