import type { Config } from "../../config/index.js";
import type { RolloutOptions } from "./rollout-options.js";
/** @throws RolloutJobError `invalid_arguments` if options of a job do not fit each other or the configuration */
export declare function assertJobArguments({ rollout: { agent } }: Config, { layout, trainer, trainerMode }: Pick<RolloutOptions, "layout" | "trainer" | "trainerMode">): void;
