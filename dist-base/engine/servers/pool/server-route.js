import { EngineError } from "../../engine.js";
import { NotStartedError } from "../wire/errors.js";
import { ServerLease } from "./server-lease.js";
/** The servers to which one request may go. Each server gets the request at most once. */
export class ServerRoute {
    #session;
    #order;
    /** The servers that got the request. */
    #tried = [];
    #refusal;
    /** The last server that did not begin with the request. */
    #refused;
    /** @param order returns the current servers of the session, best first */
    constructor(session, order) {
        this.#session = session;
        this.#order = order;
    }
    /** The error if no server took the request. */
    get refusal() {
        return this.#refusal ?? new EngineError("engine_unavailable", "Every engine server is being drained.");
    }
    /**
     * Returns a lease on the best server that is not being drained and has not had the request; undefined if none is left. If that
     * server is drained or goes down while the request waits there, chooses the next one. Rejects with the deadline's reason if it
     * aborts first.
     */
    async next(deadline) {
        for (let member = this.#choose(); member; member = this.#choose()) {
            if (this.#refused !== member)
                this.#refused?.tally.addFailover();
            this.#refused = undefined;
            const lease = await ServerLease.acquire(member, this.#session, deadline);
            if (lease) {
                this.#tried.push(member);
                return lease;
            }
            this.#refused = member;
        }
        return undefined;
    }
    /**
     * Notes that the last server did not begin with the request, so the next one may get it.
     *
     * @throws the error if the request may have begun
     */
    refuse(error) {
        if (!(error instanceof NotStartedError))
            throw error;
        this.#refusal = chooseSooner(this.#refusal, error);
        this.#refused = this.#tried.at(-1);
    }
    #choose() {
        return this.#order().find((member) => !member.draining && !this.#tried.includes(member));
    }
}
/** Returns the refusal that allows a retry sooner. If both allow it at the same time, returns the later refusal. */
function chooseSooner(earlier, later) {
    const wait = (error) => error?.retryAfterMilliseconds ?? Number.POSITIVE_INFINITY;
    return earlier && wait(earlier) < wait(later) ? earlier : later;
}
//# sourceMappingURL=server-route.js.map