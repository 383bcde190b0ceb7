import { rejectionOf, type TaskResult } from "../../job/task.js";
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
  /** Accepted episodes that ended before the job was resumed with `--resume`. */
  acceptedBefore = 0;
  /** Sessions of accepted episodes that were lost with their proxy worker before they were exported. */
  lost = 0;
  /** Accepted episodes that were left out of a batch because a session of their group was lost. */
  leftOut = 0;
  readonly reasons = new RejectionReasons();
  /** Accepted tasks that ran again, because their sessions were lost. */
  rerunTasks = 0;
  /** Sum of the own rewards of each accepted episode, by session id. */
  readonly #rewards = new Map<string, number>();

  add(result: TaskResult): void {
    this.accepted += result.accepted.length;
    this.rejected += result.rejected.length;
    if (rejectionOf(result)) this.rejectedTasks++;
    else this.acceptedTasks++;
    if (result.accepted.length > 0 && result.rejected.length > 0) this.incompleteTasks++;
    for (const { sessionId, rewards } of result.accepted) this.#rewards.set(sessionId, sum([...rewards.values()]));
    for (const { sessionId, reason } of result.rejected) this.reasons.add({ taskId: result.taskId, sessionId, reason });
  }

  /** Takes an accepted task back that runs again. */
  rerun({ accepted, rejected }: TaskResult): void {
    this.rerunTasks++;
    this.acceptedTasks--;
    this.accepted -= accepted.length;
    this.rejected -= rejected.length;
    if (rejected.length > 0) this.incompleteTasks--;
    for (const { sessionId } of accepted) this.#rewards.delete(sessionId);
  }

  /** Sum of the own rewards of each accepted episode. */
  get rewards(): number[] {
    return [...this.#rewards.values()];
  }

  lose(lost: number, leftOut: number): void {
    this.lost += lost;
    this.leftOut += leftOut;
  }

  /** Undefined if no episode was accepted. */
  get rewardMean(): number | undefined {
    const { rewards } = this;
    return rewards.length === 0 ? undefined : sum(rewards) / rewards.length;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
