import type { JobSettings } from "../../rollout/lease/protocol.js";
import type { JobStore } from "../job-store.js";
import type { SessionRemover } from "../session-remover.js";
import type { LeasedTasks } from "./leased-tasks.js";

/** Dependencies of the controller's routes. */
export interface ControllerContext {
  readonly store: JobStore;
  readonly tasks: LeasedTasks;
  readonly remover: SessionRemover;
  /** Settings that workers receive when they register. */
  readonly settings: JobSettings;
  readonly publicMetrics: boolean;
  /** Logs a line per request. Default: false. */
  readonly accessLog?: boolean;
}
