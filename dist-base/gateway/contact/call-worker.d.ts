import type { Upstream, UpstreamCall, UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";
/**
 * Calls a worker and returns its whole reply, or undefined if it does not answer. Does not call an unreachable worker, and ends
 * the call if the worker becomes unreachable.
 *
 * @param milliseconds time limit of a call that a worker answers at once. Without it, the call may take any time as long as the
 *   worker is reachable.
 */
export declare function callWorker(upstream: Upstream, { url, contact }: Worker, call: UpstreamCall, milliseconds?: number): Promise<UpstreamReply | undefined>;
