import { ApiError } from "../../http/errors.js";
/** Counts the calls of sessions to upstreams, within their limits. */
export class UpstreamLoad {
    #limits;
    #inFlight = new WeakMap();
    constructor(limits) {
        this.#limits = limits;
    }
    /**
     * Counts a call.
     *
     * @returns a function that must be called when the answer is sent
     * @throws ApiError `session_limit` or `too_many_calls`
     */
    begin(session) {
        const inFlight = this.#inFlight.get(session) ?? 0;
        this.#requireRoom(session, inFlight);
        session.countUpstreamCall();
        this.#inFlight.set(session, inFlight + 1);
        return () => this.#inFlight.set(session, (this.#inFlight.get(session) ?? 1) - 1);
    }
    #requireRoom({ id, upstreamCalls }, inFlight) {
        const { calls, concurrentCalls } = this.#limits;
        if (upstreamCalls >= calls) {
            const message = `Session ${id} has made ${upstreamCalls} calls to upstreams (\`max_upstream_calls\`). ` +
                "Do not send the call again. Calls to the policy work as before.";
            const details = { limit: "max_upstream_calls", allowed: calls, used: upstreamCalls };
            throw new ApiError("session_limit", message, { details });
        }
        if (inFlight < concurrentCalls)
            return;
        const message = `Session ${id} already has ${inFlight} calls to upstreams in flight (\`max_concurrent_upstream_calls\`). ` +
            "Try again after the answer of one of them was read.";
        const details = { limit: "max_concurrent_upstream_calls", allowed: concurrentCalls, used: inFlight };
        throw new ApiError("too_many_calls", message, { details });
    }
}
//# sourceMappingURL=upstream-limits.js.map