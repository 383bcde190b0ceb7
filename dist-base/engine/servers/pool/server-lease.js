import { EngineError } from "../../engine.js";
import { isUnavailable, NotStartedError } from "../wire/errors.js";
/** A request's place on one server. Dispose of it when the request ends. */
export class ServerLease {
    #member;
    #hasPlace = false;
    constructor(member) {
        this.#member = member;
        member.enter();
    }
    /**
     * Waits for a place on the server. Sessions take turns.
     *
     * @returns undefined if the server is drained or goes down meanwhile. Route the request again then.
     * @throws the deadline's reason if it aborts first
     * @throws EngineError if the engine is closed
     */
    static async acquire(member, session, deadline) {
        deadline.throwIfAborted();
        const { places } = member;
        const lease = new ServerLease(member);
        try {
            // Takes a free place synchronously, so that a drain that starts now waits for the request.
            lease.#hasPlace = places.tryTake() || (await places.wait(session, deadline));
        }
        catch (error) {
            lease[Symbol.dispose]();
            throw error;
        }
        // A drain may have begun after the place was given.
        if (lease.#hasPlace && !member.draining)
            return lease;
        lease[Symbol.dispose]();
        return undefined;
    }
    get server() {
        return this.#member.server;
    }
    /** Notes that the server has sent a part of the reply. */
    noteProgress() {
        this.#member.noteProgress();
    }
    /** Counts the request as completed. */
    complete() {
        this.#member.tally.addCompleted();
        this.#member.monitor.reportSuccess();
    }
    /** Counts the failure and reports to the monitor what it shows about the server. */
    fail(error, signal) {
        const { tally, monitor } = this.#member;
        if (signal.aborted)
            tally.addAborted();
        else
            tally.addFailed(error);
        if (error instanceof NotStartedError && isUnavailable(error))
            monitor.reportFailure();
        else if (error instanceof EngineError && !isUnavailable(error))
            monitor.reportReached();
    }
    [Symbol.dispose]() {
        if (this.#hasPlace)
            this.#member.places.giveBack();
        this.#member.leave();
    }
}
//# sourceMappingURL=server-lease.js.map