import { Waiters } from "../support/async/waiters.js";
/** The state of a session, the tasks that wait for it to change, and the number of exports being packed. */
export class Lifecycle {
    #state = "active";
    #endedAt;
    #freed = false;
    #held = false;
    #acknowledged = false;
    #exports = 0;
    #whenEnded = new Waiters();
    #whenSettled = new Waiters();
    #onChange;
    /**
     * @param onChange called after each change of the state
     * @param stored the lifecycle of a session that an earlier process started
     */
    constructor(onChange = () => undefined, stored) {
        this.#onChange = onChange;
        if (!stored)
            return;
        this.#state = stored.state;
        this.#endedAt = stored.endedAt;
        this.#freed = stored.freed;
        this.#held = stored.held;
        this.#acknowledged = stored.acknowledged ?? false;
    }
    get state() {
        return this.#state;
    }
    get endedAt() {
        return this.#endedAt;
    }
    get freed() {
        return this.#freed;
    }
    /** True while the session is exported, but none of its exports is final: each still waits for an acknowledgement. */
    get held() {
        return this.#held;
    }
    /** True once an export was acknowledged. There are no further exports, also if the data could not be freed yet. */
    get acknowledged() {
        return this.#acknowledged;
    }
    /** True while an export of the session is being packed. Calls and rewards are refused until then. */
    get exporting() {
        return this.#exports > 0;
    }
    /** Ends the session. Returns true if it was active until now. */
    end() {
        if (this.#state !== "active")
            return false;
        this.#state = "ended";
        this.#endedAt = Date.now();
        this.#onChange();
        this.#whenEnded.wake();
        return true;
    }
    /** Resolves when the session is no longer active, after `milliseconds`, or when the signal aborts. */
    async waitEnd(milliseconds, signal) {
        if (this.#state === "active" && milliseconds > 0)
            await this.#whenEnded.wait(milliseconds, signal);
    }
    beginExport() {
        this.#exports++;
    }
    /** Ends an export that {@link beginExport} began. */
    endExport(outcome) {
        this.#exports--;
        if (outcome === "held")
            this.#held ||= this.#state === "ended";
        if (outcome === "taken")
            this.#held = false;
        if (outcome !== "left") {
            this.#state = "exported";
            this.#onChange();
        }
        if (this.#exports === 0)
            this.#whenSettled.wake();
    }
    /** Makes the export of a held session final. */
    acknowledge() {
        this.#held = false;
        this.#acknowledged = true;
        this.#onChange();
    }
    /** Makes a held session `ended` again. Returns false if it is not held. */
    reopen() {
        if (!this.#held)
            return false;
        this.#held = false;
        this.#state = "ended";
        this.#onChange();
        return true;
    }
    /** Resolves when no export is being packed, or after `milliseconds`. */
    async waitSettled(milliseconds = Number.POSITIVE_INFINITY) {
        const until = performance.now() + milliseconds;
        for (let left = milliseconds; this.exporting && left > 0; left = until - performance.now()) {
            await this.#whenSettled.wait(left);
        }
    }
    free(state) {
        this.#state = state;
        this.#held = false;
        this.#freed = true;
        this.#onChange();
        this.#whenEnded.wake();
    }
}
//# sourceMappingURL=lifecycle.js.map