import type { JobSettings, RolloutStatus } from "../rollout/lease/protocol.js";
import type { LeasedTasks } from "./leased-tasks.js";
import type { SessionRemover } from "./session-remover.js";
/** Dependencies of the controller's routes. */
export interface ControllerContext {
    readonly tasks: LeasedTasks;
    readonly remover: SessionRemover;
    /** Settings that workers receive when they register. */
    readonly settings: JobSettings;
    /** Returns the counts of the job. */
    readonly readJob: () => Pick<RolloutStatus, "version"> & {
        readonly submitted: number;
        readonly waiting: number;
        readonly accepted: number;
        readonly rejected: number;
    };
    readonly publicMetrics: boolean;
    /** Logs a line per request. Default: false. */
    readonly accessLog?: boolean;
}
