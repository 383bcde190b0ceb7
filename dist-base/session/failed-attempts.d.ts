import { type Attempt } from "./attempt.js";
/** The failed attempts of a session that no retry has repeated yet. Keeps only their retry counts. */
export declare class FailedAttempts {
    #private;
    get isEmpty(): boolean;
    /** Returns the retry count of the failed attempt that is nearest to a retry; undefined if there is none. */
    findNearest(retry: Attempt): number | undefined;
    /** Removes an attempt, because a retry repeats it. */
    take(request: string, retryCount: number): void;
    add({ request, retryCount }: Attempt): void;
    clear(): void;
}
