import type { WorkerOptions } from "../rollout/rollout-options.js";
/**
 * `rolltape worker`: runs the tasks that a controller leases to it, until the controller has no more or a signal stops it. Prints one
 * JSON line on standard output when it is registered. Logs, and what agents print, go to standard error.
 */
export declare function worker(args: readonly string[], options: WorkerOptions): Promise<void>;
