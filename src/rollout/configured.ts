import type { Config } from "../config/index.js";
import type { ResolveOptions } from "./resolve.js";

/** Whether options are a whole configuration. */
export function isConfig(options: object): options is Config {
  return "rollout" in options && "engine" in options && "server" in options;
}

/** Returns what a configuration says of workflows. Options that are given beside it win. */
export function workflowOptions({ config, ...given }: ResolveOptions): ResolveOptions {
  if (!config) return given;
  const { turn_discount: discount, export_style: style } = config.rollout.agent;
  return {
    ...given,
    groupSize: given.groupSize ?? config.group_size,
    dropIncompleteGroup: given.dropIncompleteGroup ?? config.drop_incomplete_group,
    discount: given.discount ?? discount,
    style: given.style ?? style,
  };
}
