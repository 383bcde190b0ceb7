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
  /** Episodes that were left out because another member of their group was rejected, and the number of these groups. */
  leftOutOfGroups = 0;
  incompleteGroups = 0;
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
    const failed = result.rejected.filter(({ reason }) => reason.code !== "group_incomplete");
    const leftOut = result.rejected.length - failed.length;
    this.leftOutOfGroups += leftOut;
    if (leftOut > 0) this.incompleteGroups++;
    for (const { sessionId, reason } of failed) this.reasons.add({ taskId: result.taskId, sessionId, reason });
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

  /** Returns how many episodes incomplete groups cost, and how to keep them; undefined if there are none. */
  describeLeftOut(): string | undefined {
    if (this.leftOutOfGroups === 0) return undefined;
    const episodes = this.leftOutOfGroups === 1 ? "1 episode was" : `${countOf(this.leftOutOfGroups)} episodes were`;
    const groups = this.incompleteGroups === 1 ? "1 group was" : `${countOf(this.incompleteGroups)} groups were`;
    return `${episodes} left out because ${groups} incomplete: drop_incomplete_group=false keeps them`;
  }

  /** Undefined if no episode was accepted. */
  get rewardMean(): number | undefined {
    const { rewards } = this;
    return rewards.length === 0 ? undefined : sum(rewards) / rewards.length;
  }
}

const COUNT = new Intl.NumberFormat("en");

/** 1166 is 1,166. */
export const countOf = (count: number): string => COUNT.format(count);

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
