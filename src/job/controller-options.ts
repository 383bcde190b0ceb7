import type { BatchFields } from "../client/admin-client.js";
import type { Config } from "../config/index.js";
import type { BatchOrder, StalenessLimits } from "./planning.js";
import type { TaskResult } from "./task.js";

export interface ControllerOptions<Data = unknown> extends StalenessLimits, ControllerSettings<Data> {}

/**
 * Options with a configuration, which fills in what they do not set: the limits under `rollout`, and the export fields.
 */
export interface ConfiguredOptions<Data = unknown> extends Partial<StalenessLimits>, ControllerSettings<Data> {
  readonly config: Config;
}

export interface ControllerSettings<Data = unknown> {
  /**
   * Weight version at the start, if training continues after a restart. It is announced to the proxy before the first
   * task starts. Default 0, the initial version of a new proxy, which is not announced.
   */
  readonly version?: number | undefined;
  /** Default: `completion`. */
  readonly batchOrder?: BatchOrder | undefined;
  /** Default fields of the export of a batch: style, discount, layout, …. */
  readonly exportFields?: BatchFields | undefined;
  /** Is called for every task that has ended. */
  readonly onResult?: ((result: TaskResult<Data>) => void) | undefined;
}
