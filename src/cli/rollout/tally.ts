import { rejectionOf, type TaskResult } from "../../rollout/controller/task.js";
import { RejectionReasons } from "./rejection-reasons.js";

/** Counts of a running job. */
export class RolloutTally {
  accepted = 0;
  rejected = 0;
  /** Tasks that gave a trajectory. */
  acceptedTasks = 0;
  /** Accepted tasks with rejected members. */
  incompleteTasks = 0;
  rejectedTasks = 0;
  /** Sessions of accepted episodes that were lost with their proxy worker before they were exported. */
  lost = 0;
  /** Accepted episodes that were left out of a batch because a session of their group was lost. */
  leftOut = 0;
  readonly reasons = new RejectionReasons();
  /** Sum of the own rewards of each accepted episode. */
  readonly rewards: number[] = [];

  add(result: TaskResult): void {
    this.accepted += result.accepted.length;
    this.rejected += result.rejected.length;
    if (rejectionOf(result)) this.rejectedTasks++;
    else this.acceptedTasks++;
    if (result.accepted.length > 0 && result.rejected.length > 0) this.incompleteTasks++;
    for (const { rewards } of result.accepted) this.rewards.push(sum([...rewards.values()]));
    for (const { sessionId, reason } of result.rejected) this.reasons.add({ taskId: result.taskId, sessionId, reason });
  }

  lose(lost: number, leftOut: number): void {
    this.lost += lost;
    this.leftOut += leftOut;
  }

  /** Undefined if no episode was accepted. */
  get rewardMean(): number | undefined {
    return this.rewards.length === 0 ? undefined : sum(this.rewards) / this.rewards.length;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
