import { rejectionOf, type TaskResult } from "../../job/task.js";
import type { FilteredGroups } from "./group-filter.js";
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
  /** Left out because all episodes of their group had the same reward. */
  readonly #equal = { episodes: 0, groups: 0 };
  /** Left out because a token of their group was sampled with an old weight version. */
  readonly #stale = { episodes: 0, groups: 0 };

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

  /** Counts the groups that filters left out of a batch. */
  filter({ equal, equalGroups, stale, staleGroups }: FilteredGroups): void {
    this.#equal.episodes += equal.length;
    this.#equal.groups += equalGroups;
    this.#stale.episodes += stale.length;
    this.#stale.groups += staleGroups;
  }

  /** Returns one line for each reason for which episodes were left out of the batches: their number, and how to keep them. */
  describeLeftOut(): string[] {
    const incomplete = { episodes: this.leftOutOfGroups, groups: this.incompleteGroups };
    return [
      describeLeftOut(incomplete, "were incomplete", "drop_incomplete_group=false keeps them"),
      describeLeftOut(this.#equal, "had equal rewards", "rollout.drop_zero_variance=false keeps them"),
      describeLeftOut(this.#stale, "were stale", "a higher rollout.max_token_staleness keeps them"),
    ].flat();
  }

  /** Undefined if no episode was accepted. */
  get rewardMean(): number | undefined {
    const { rewards } = this;
    return rewards.length === 0 ? undefined : sum(rewards) / rewards.length;
  }
}

function describeLeftOut(
  { episodes, groups }: { readonly episodes: number; readonly groups: number },
  what: string,
  advice: string,
): string[] {
  if (episodes === 0) return [];
  const left = episodes === 1 ? "1 episode was" : `${countOf(episodes)} episodes were`;
  const why = groups === 1 ? `1 group ${what.replace("were", "was")}` : `${countOf(groups)} groups ${what}`;
  return [`${left} left out because ${why}: ${advice}`];
}

const COUNT = new Intl.NumberFormat("en");

/** 1166 is 1,166. */
export const countOf = (count: number): string => COUNT.format(count);

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
