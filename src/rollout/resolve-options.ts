import type { Config } from "../config/index.js";
import type { GroupedWorkflowOptions } from "./grouped-workflow.js";
import type { ProxyWorkflowOptions } from "./proxy-workflow.js";

export interface ResolveOptions extends ProxyWorkflowOptions, GroupedWorkflowOptions {
  /** What a class is constructed with: one object. Default: an empty one. */
  readonly keywordArguments?: Readonly<Record<string, unknown>> | undefined;
  /** Episodes of one task. Default 1; more are a {@link GroupedWorkflow}. */
  readonly groupSize?: number | undefined;
  /**
   * Stands for options that are not given. `groupSize` and `dropIncompleteGroup` are `group_size` and
   * `drop_incomplete_group`; of `rollout.agent`, `discount` is `turn_discount`, `style` is `export_style`, `concatReward` is
   * `concat_reward`, and `rewardScope` is `reward_scope`.
   */
  readonly config?: Config | undefined;
  /** Where import strings look for files. Default: the working directory. */
  readonly directory?: string | undefined;
}
