import type { BatchFields } from "../../client/admin-client.js";
import type { Config } from "../../config/index.js";
import type { BatchOrder } from "./accepted-tasks.js";
import type { StalenessLimits } from "./staleness.js";
import type { TaskResult } from "./task.js";

export interface ControllerOptions<Data = unknown> extends StalenessLimits, ControllerSettings<Data> {}

/** Options beside a configuration, which says what they leave open: limits under `rollout`, and how batches are exported. */
export interface ConfiguredOptions<Data = unknown> extends Partial<StalenessLimits>, ControllerSettings<Data> {
  readonly config: Config;
}

export interface ControllerSettings<Data = unknown> {
  /**
   * Weight version from which training goes on after a restart; the proxy is told before the first task starts. Default
   * 0, which a proxy that was started with this job takes for granted.
   */
  readonly version?: number | undefined;
  /** Default: `completion`. */
  readonly batchOrder?: BatchOrder | undefined;
  /** What the export of a batch asks for unless its caller does otherwise: style, discount, layout, …. */
  readonly exportFields?: BatchFields | undefined;
  /** Hears of every task that has ended. */
  readonly onResult?: ((result: TaskResult<Data>) => void) | undefined;
}
