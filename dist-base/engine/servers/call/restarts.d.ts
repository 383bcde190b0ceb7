import type { AbortSource } from "../../../support/async/abort-source.js";
import type { CutCause } from "./cut-watch.js";
/** Limit of consecutive restarts whose only reason is the server's own message. With the waits: about two minutes. */
export declare const MAX_RESTARTS = 30;
/** Delays and limits the restarts of one call, so that a server that cuts every request is not asked in a tight loop. */
export declare class Restarts {
    #private;
    /**
     * Waits before the next request of a generation that was cut: 25 ms, doubled after each consecutive cut, at most 5 s.
     *
     * @param ranMilliseconds how long the request ran before it was cut
     * @throws EngineError after {@link MAX_RESTARTS} consecutive cuts without evidence of a weight update
     */
    wait(cause: CutCause, ranMilliseconds: number, signal: AbortSource): Promise<void>;
}
