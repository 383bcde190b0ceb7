import type { Session } from "../../session/session.js";
/** Limits of one session's calls to upstreams. Infinity: no limit. */
export interface UpstreamLimits {
    readonly calls: number;
    readonly concurrentCalls: number;
}
/** Counts the calls of sessions to upstreams, within their limits. */
export declare class UpstreamLoad {
    #private;
    constructor(limits: UpstreamLimits);
    /**
     * Counts a call.
     *
     * @returns a function that must be called when the answer is sent
     * @throws ApiError `session_limit` or `too_many_calls`
     */
    begin(session: Session): () => void;
}
