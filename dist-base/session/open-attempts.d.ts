import type { Attempt } from "./attempt.js";
/** Running and recorded attempts without a retry, by request. Almost every request has one, which is kept without a set around it. */
export declare class OpenAttempts {
    #private;
    of(request: string): Iterable<Attempt>;
    add(attempt: Attempt): void;
    delete(attempt: Attempt): void;
    clear(): void;
}
