import { type Config, type UnusedKeys } from "../../config/index.js";
import type { RolloutOptions } from "./rollout-options.js";
/** Returns the keys that a controller does not use. */
export declare function unusedByController({ trainer }: Pick<RolloutOptions, "trainer">): UnusedKeys[];
/** Returns the keys that a job with these options does not use. */
export declare function unusedByRollout(config: Config, options: RolloutOptions): UnusedKeys[];
