import { Waiters } from "../support/async/waiters.js";
import { identifyRequest } from "./attempt.js";
import { SessionError } from "./errors.js";
import { hashText } from "./session-keys.js";
/** The model calls that a session has in flight. */
export class CallsInFlight {
    #attempts;
    #live = new Map();
    #idle = new Waiters();
    constructor(attempts) {
        this.#attempts = attempts;
    }
    get size() {
        return this.#live.size;
    }
    /**
     * Begins a call.
     *
     * If it is a retry with the `idempotency-key` of a call in flight, it aborts that call. Without a key the call in
     * flight may be another sample of the same prompt, whose client still waits for it. If retries arrive in the wrong order,
     * an earlier retry does not abort a later one.
     *
     * @param controller the choices of one call share it, so that all are aborted with one
     */
    begin({ requestKey, retryCount, idempotencyKey }, controller = new AbortController()) {
        const request = identifyRequest(requestKey, idempotencyKey === undefined ? undefined : hashText(idempotencyKey));
        const attempt = this.#attempts.begin(request, retryCount);
        const call = { attempt, retryCount, controller };
        this.#live.set(attempt, call);
        const earlier = attempt.earlier && this.#live.get(attempt.earlier);
        if (earlier && idempotencyKey !== undefined && earlier.retryCount < retryCount) {
            earlier.controller.abort(new SessionError("call_superseded", "The client sent this request again."));
        }
        return call;
    }
    /**
     * Notes that a call was recorded. Call this before its answer is sent: if sessions are stored, the link to the attempt that it
     * repeats must be on disk by then.
     */
    recorded({ attempt }, interaction) {
        this.#attempts.record(attempt, interaction);
    }
    /** A call that ends without {@link recorded} has failed. */
    end({ attempt }) {
        this.#live.delete(attempt);
        if (attempt.outcome === "running")
            this.#attempts.fail(attempt);
        if (this.#live.size === 0)
            this.#idle.wake();
    }
    /** Resolves with true when no call is in flight, or with false after `milliseconds`. */
    waitIdle(milliseconds) {
        return this.#live.size === 0 ? Promise.resolve(true) : this.#idle.wait(milliseconds);
    }
    /** Aborts every call in flight. Resolves with their number when all have ended. */
    async abortAll(reason) {
        const count = this.#live.size;
        for (const { controller } of this.#live.values())
            controller.abort(reason);
        if (this.#live.size > 0)
            await this.#idle.wait(Number.POSITIVE_INFINITY);
        return count;
    }
}
//# sourceMappingURL=calls-in-flight.js.map