import { backoffMilliseconds } from "../../../support/async/backoff.js";
import { sleep } from "../../../support/async/sleep.js";
import { EngineError } from "../../engine.js";
const BACKOFF = { firstMilliseconds: 25, longestMilliseconds: 5_000 };
/** Limit of consecutive restarts whose only reason is the server's own message. With the waits: about two minutes. */
export const MAX_RESTARTS = 30;
/** A request that ran this long before it was cut resets the count. */
const LONG_RUN_MS = 10_000;
/** Delays and limits the restarts of one call, so that a server that cuts every request is not asked in a tight loop. */
export class Restarts {
    #inRow = 0;
    #unproved = 0;
    /**
     * Waits before the next request of a generation that was cut: 25 ms, doubled after each consecutive cut, at most 5 s.
     *
     * @param ranMilliseconds how long the request ran before it was cut
     * @throws EngineError after {@link MAX_RESTARTS} consecutive cuts without evidence of a weight update
     */
    async wait(cause, ranMilliseconds, signal) {
        if (ranMilliseconds >= LONG_RUN_MS)
            this.#inRow = this.#unproved = 0;
        if (cause !== "message")
            this.#unproved = 0;
        else if (this.#unproved === MAX_RESTARTS)
            throw tooManyRestarts();
        else
            this.#unproved++;
        await sleep(backoffMilliseconds(this.#inRow++, BACKOFF), signal);
    }
}
function tooManyRestarts() {
    const message = `The engine keeps aborting the generation: it was restarted ${MAX_RESTARTS} times in a row without a pause by this ` +
        "proxy or a new weight version.";
    return new EngineError("engine_error", message);
}
//# sourceMappingURL=restarts.js.map