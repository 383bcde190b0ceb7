import type { Config } from "../config/index.js";
import type { ServerContext } from "./context.js";
/**
 * Frees expired objects at intervals: idle sessions, remembered requests, retained exports, leases, unused shared memory.
 *
 * The timer keeps neither the process nor the server alive, because nobody closes the proxy of an in-process client.
 *
 * @returns a function that stops the sweeps
 */
export declare function startSweeps(context: ServerContext, config: Config): () => void;
