import { type Config } from "../../config/index.js";
import type { NotReady } from "../../server/engine-readiness.js";
/**
 * Checks that a file can be created in the folder for batches in shared memory. Returns the problem of the default
 * folder, if it has one.
 *
 * @throws ConfigError if the configuration names another folder and no file can be created in it
 */
export declare function sharedMemoryProblems({ rollout: { agent } }: Config): Promise<NotReady[]>;
/**
 * Creates the folder of `out` and checks that files can be written there, because a batch that cannot be written at the
 * end of a job is lost.
 *
 * @throws RolloutJobError `invalid_arguments` if not, or if `out` exists and is not a regular file
 */
export declare function requireWritable(out: string): Promise<void>;
/**
 * Checks that at least one engine server can serve calls. Warns of those that cannot, and of healthy ones that are too
 * busy to say whether they have the model.
 *
 * @throws ConfigError if every server lacks the configured model or refuses the configured key
 * @throws RolloutJobError `engine_not_ready` if no server can serve calls for another reason
 */
export declare function requireEngine(config: Config): Promise<void>;
