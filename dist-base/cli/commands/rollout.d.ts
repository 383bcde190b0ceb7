import type { RolloutOptions } from "../rollout/rollout-options.js";
/** `rolltape rollout`: starts a proxy, runs the episodes, writes batches to files, and prints a summary. */
export declare function rollout(args: readonly string[], options: RolloutOptions): Promise<void>;
