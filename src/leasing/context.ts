import type { JobSettings, RolloutStatus } from "../rollout/lease/protocol.js";
import type { LeasedTasks } from "./leased-tasks.js";
import type { SessionRemover } from "./session-remover.js";

/** What the controller's routes use. */
export interface ControllerContext {
  readonly tasks: LeasedTasks;
  readonly remover: SessionRemover;
  /** What workers must know. */
  readonly settings: JobSettings;
  /** Returns the counts of the job. */
  readonly readJob: () => Pick<RolloutStatus, "version"> & {
    readonly submitted: number;
    readonly waiting: number;
    readonly accepted: number;
    readonly rejected: number;
  };
  readonly publicMetrics: boolean;
}
