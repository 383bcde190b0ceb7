import type { ControllerOptions } from "../rollout/rollout-options.js";
/**
 * `rolltape controller`: gives tasks to rollout workers, writes batches to files, and prints a summary. Prints one JSON line on
 * standard output when workers may come.
 */
export declare function controller(args: readonly string[], options: ControllerOptions): Promise<void>;
