import type { Config } from "../config/index.js";
import type { ResolveOptions } from "./resolve-options.js";

/** Returns true if the options are a whole configuration. Callers without types may give any value. */
export function isConfig(options: unknown): options is Config {
  return isObject(options) && "rollout" in options && "engine" in options && "server" in options;
}

/** Returns true for objects and arrays; false for null and for everything else. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns what a configuration says of workflows. Options that are given beside it win. */
export function workflowOptions({ config, ...given }: ResolveOptions): ResolveOptions {
  if (!config) return given;
  const { agent } = config.rollout;
  return {
    ...given,
    groupSize: given.groupSize ?? config.group_size,
    dropIncompleteGroup: given.dropIncompleteGroup ?? config.drop_incomplete_group,
    discount: given.discount ?? agent.turn_discount,
    style: given.style ?? agent.export_style,
    concatReward: given.concatReward ?? agent.concat_reward,
    rewardScope: given.rewardScope ?? agent.reward_scope,
  };
}
