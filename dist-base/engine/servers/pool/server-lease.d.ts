import type { AbortSource } from "../../../support/async/abort-source.js";
import type { Deadline } from "../../../support/async/deadline.js";
import type { EngineServer } from "../engine-server.js";
import type { PoolMember } from "./pool-member.js";
/** A request's place on one server. Dispose of it when the request ends. */
export declare class ServerLease implements Disposable {
    #private;
    private constructor();
    /**
     * Waits for a place on the server. Sessions take turns.
     *
     * @returns undefined if the server is drained or goes down meanwhile. Route the request again then.
     * @throws the deadline's reason if it aborts first
     * @throws EngineError if the engine is closed
     */
    static acquire(member: PoolMember, session: string, deadline: Deadline): Promise<ServerLease | undefined>;
    get server(): EngineServer;
    /** Notes that the server has sent a part of the reply. */
    noteProgress(): void;
    /** Counts the request as completed. */
    complete(): void;
    /** Counts the failure and reports to the monitor what it shows about the server. */
    fail(error: unknown, signal: AbortSource): void;
    [Symbol.dispose](): void;
}
