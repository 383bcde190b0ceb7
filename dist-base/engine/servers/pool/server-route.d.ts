import type { Deadline } from "../../../support/async/deadline.js";
import { EngineError } from "../../engine.js";
import type { PoolMember } from "./pool-member.js";
import { ServerLease } from "./server-lease.js";
/** The servers to which one request may go. Each server gets the request at most once. */
export declare class ServerRoute {
    #private;
    /** @param order returns the current servers of the session, best first */
    constructor(session: string, order: () => readonly PoolMember[]);
    /** The error if no server took the request. */
    get refusal(): EngineError;
    /**
     * Returns a lease on the best server that is not being drained and has not had the request; undefined if none is left. If that
     * server is drained or goes down while the request waits there, chooses the next one. Rejects with the deadline's reason if it
     * aborts first.
     */
    next(deadline: Deadline): Promise<ServerLease | undefined>;
    /**
     * Notes that the last server did not begin with the request, so the next one may get it.
     *
     * @throws the error if the request may have begun
     */
    refuse(error: unknown): void;
}
