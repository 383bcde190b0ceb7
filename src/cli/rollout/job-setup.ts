import type { Config } from "../../config/index.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { JobWorkflow } from "./job-workflow.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { SampledTokens } from "./sampled-tokens.js";
import type { RolloutScreen } from "./screen.js";

/** Everything that a rollout job needs to run. */
export interface JobSetup {
  readonly config: Config;
  readonly options: RolloutOptions;
  readonly proxy: ConnectedProxy;
  readonly tokens: SampledTokens;
  readonly workflow: JobWorkflow;
  readonly tasks: readonly RolloutTask[];
  readonly screen: RolloutScreen;
}
