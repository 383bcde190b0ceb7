import type { EngineServerCounts } from "../../engine.js";
/** Counts the requests to one server by outcome. */
export declare class ServerTally {
    #private;
    get counts(): EngineServerCounts;
    get lastFailure(): {
        readonly message: string;
        readonly at: number;
    } | undefined;
    addCompleted(): void;
    /** Counts a request that the caller aborted, which is no failure of the server. */
    addAborted(): void;
    /** Counts a failed request, or a failed question on which a request depends. */
    addFailed(error: unknown): void;
    /** Counts a request that did not begin here and went to another server. */
    addFailover(): void;
}
