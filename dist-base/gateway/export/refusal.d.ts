import { ApiError } from "../../http/errors.js";
import type { UpstreamReply } from "../upstream.js";
/** The reply of a worker that does not export its part. */
export interface PartRefusal {
    readonly sessionIds: readonly string[];
    /** Undefined if the worker does not answer. */
    readonly reply: UpstreamReply | undefined;
}
/** Returns the error for sessions that no known worker has, or whose worker does not answer. */
export declare function unreachableSessions(sessionIds: readonly string[]): ApiError;
/** Returns one error for all refusals. A single worker's error is passed on; several become one that lists the sessions. */
export declare function mergeRefusals(refusals: readonly PartRefusal[]): ApiError;
/** Returns a worker's error as the gateway's own. */
export declare function readWorkerError(reply: UpstreamReply): ApiError;
