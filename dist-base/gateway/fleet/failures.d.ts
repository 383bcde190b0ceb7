import { ApiError } from "../../http/errors.js";
import type { UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";
/**
 * Returns a worker's error as the gateway's own, with the worker's tag. An error about the key has no tag, because every worker
 * would return it.
 *
 * @param outcome the state of the other workers
 */
export declare function workerRefusedError({ tag }: Worker, reply: UpstreamReply, outcome?: string): ApiError;
/** @param outcome the state of the other workers */
export declare function workerSilentError({ tag }: Worker, outcome: string): ApiError;
