import { type TaskResult } from "../../rollout/controller/task.js";
import { RejectionReasons } from "./rejection-reasons.js";
/** Counts of a running job. */
export declare class RolloutTally {
    #private;
    accepted: number;
    rejected: number;
    /** Tasks that gave a trajectory. */
    acceptedTasks: number;
    /** Accepted tasks with rejected members. */
    incompleteTasks: number;
    rejectedTasks: number;
    /** Sessions of accepted episodes that were lost with their proxy worker before they were exported. */
    lost: number;
    /** Accepted episodes that were left out of a batch because a session of their group was lost. */
    leftOut: number;
    readonly reasons: RejectionReasons;
    /** Accepted tasks that ran again, because their sessions were lost. */
    rerunTasks: number;
    add(result: TaskResult): void;
    /** Takes an accepted task back that runs again. */
    rerun({ accepted, rejected }: TaskResult): void;
    /** Sum of the own rewards of each accepted episode. */
    get rewards(): number[];
    lose(lost: number, leftOut: number): void;
    /** Undefined if no episode was accepted. */
    get rewardMean(): number | undefined;
}
