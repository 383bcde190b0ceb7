import type { Config } from "../../config/index.js";
import { isConfig, isObject } from "../configured.js";
import type { ConfiguredOptions, ControllerOptions } from "./controller-options.js";
import { ControllerError } from "./errors.js";

/** As `rolltape rollout`. */
const CONCURRENT_ROLLOUTS = 64;

/**
 * Returns the options with what a configuration says, where they leave it open.
 *
 * @throws ControllerError `invalid_option` if nobody says how many rollouts a batch has
 */
export function controllerOptions<Data>(
  given: ControllerOptions<Data> | ConfiguredOptions<Data> | Config,
): ControllerOptions<Data> {
  if (isConfig(given)) return controllerOptions({ config: given });
  if (!isObject(given) || !("config" in given)) return given;
  const { config, ...options } = given;
  const { rollout } = config;
  const consumerBatchSize = options.consumerBatchSize ?? rollout.consumer_batch_size;
  if (consumerBatchSize === null) {
    const message =
      "rollout.consumer_batch_size is null, which stands for all tasks of a job; a controller does not know how many " +
      "there will be. Set it to a whole number of at least 1, or give the option consumerBatchSize.";
    throw new ControllerError("invalid_option", message);
  }
  const { turn_discount: discount, export_style: style, concat_reward } = rollout.agent;
  return {
    ...options,
    maxConcurrentRollouts: options.maxConcurrentRollouts ?? rollout.max_concurrent_rollouts ?? CONCURRENT_ROLLOUTS,
    maxStaleness: options.maxStaleness ?? rollout.max_staleness,
    consumerBatchSize,
    exportFields: { discount, style, concat_reward, ...options.exportFields },
  };
}
