import { toFilterFields } from "../client/export-filters.js";
import type { Config } from "../config/index.js";
import { readExportFilters } from "../rollout/configured-filters.js";
import { isConfig, isObject } from "../rollout/workflow-options.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
import { ControllerError } from "./errors.js";

/** The same default as that of `rolltape rollout`. */
const CONCURRENT_ROLLOUTS = 64;

/**
 * Returns the options of a controller. A configuration fills in the options that are not set.
 *
 * @throws ControllerError `invalid_option` if neither sets the number of rollouts in a batch
 */
export function resolveControllerOptions<Data>(
  input: ControllerOptions<Data> | ConfiguredOptions<Data> | Config,
): ControllerOptions<Data> {
  if (isConfig(input)) return resolveControllerOptions({ config: input });
  if (!isObject(input) || !("config" in input)) return input;
  const { config, ...options } = input;
  const { rollout } = config;
  const consumerBatchSize = options.consumerBatchSize ?? rollout.consumer_batch_size;
  if (consumerBatchSize === null) {
    const message =
      "rollout.consumer_batch_size must be an integer of at least 1 for a controller, which does not know the number of " +
      "tasks; received null. Set it, or the option consumerBatchSize.";
    throw new ControllerError("invalid_option", message);
  }
  const { turn_discount: discount, export_style: style, concat_reward } = rollout.agent;
  return {
    ...options,
    maxConcurrentRollouts: options.maxConcurrentRollouts ?? rollout.max_concurrent_rollouts ?? CONCURRENT_ROLLOUTS,
    maxStaleness: options.maxStaleness ?? rollout.max_staleness,
    consumerBatchSize,
    exportFields: {
      discount,
      style,
      concat_reward,
      ...toFilterFields(readExportFilters(config)),
      ...options.exportFields,
    },
  };
}
