import type { Config } from "../config/index.js";
import type { GroupedWorkflowOptions } from "./grouped-workflow.js";
import type { ProxyWorkflowOptions } from "./proxy-workflow.js";
import type { RetryOptions } from "./retrying-workflow.js";

export interface ResolveOptions extends ProxyWorkflowOptions, GroupedWorkflowOptions {
  /** The object that is passed to the constructor of a class. Default: an empty object. */
  readonly keywordArguments?: Readonly<Record<string, unknown>> | undefined;
  /** Runs episodes again that failed or lost their proxy. Default: each episode runs once. */
  readonly retries?: RetryOptions | undefined;
  /** Episodes per task. Default 1. More than 1 creates a {@link GroupedWorkflow}. */
  readonly groupSize?: number | undefined;
  /**
   * Configuration that fills in options that are not set:
   *
   * - `groupSize` and `dropIncompleteGroup` from `group_size` and `drop_incomplete_group`
   * - `discount`, `style`, `concatReward`, `filters` and `rewardScope` from `turn_discount`, `export_style`, `concat_reward`,
   *   `export_filters` and `reward_scope` of `rollout.agent`
   */
  readonly config?: Config | undefined;
  /** Folder in which import strings look for files. Default: the working directory. */
  readonly directory?: string | undefined;
}
