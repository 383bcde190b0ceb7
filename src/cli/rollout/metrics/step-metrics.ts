import type { TaskResult } from "../../../job/task.js";

/** The numbers of a step. Those that are not known are absent. */
export const METRIC_NAMES = [
  "reward/mean",
  "reward/min",
  "reward/max",
  "episodes/accepted",
  "episodes/rejected",
  "groups/zero_variance_share",
  "staleness/mean",
  "staleness/max",
  "batch/rows",
  "tokens/batch",
  "tokens/trained",
  "tokens/sampled",
  "tokens/sampled_per_second",
  "time/rollout_seconds",
  "time/export_seconds",
  "time/training_seconds",
  "time/step_seconds",
] as const;

export type MetricName = (typeof METRIC_NAMES)[number];
export type StepMetrics = Partial<Record<MetricName, number>>;

const RESERVED: ReadonlySet<string> = new Set([...METRIC_NAMES, "step", "version", "time"]);

/** Returns true if a trainer cannot use this name, because a line of the metrics file has it already. */
export const isMetricName = (name: string): boolean => RESERVED.has(name);

export interface BatchTasks {
  /** Weight version when the batch was complete. */
  readonly version: number;
  readonly tasks: readonly Pick<TaskResult, "version" | "accepted">[];
  /** Sessions of the batch. */
  readonly sessionIds: readonly string[];
}

/** Describes the episodes of a batch. A reward is the sum of what the agent returned for an episode, without discount. */
export function describeEpisodes({ version, tasks, sessionIds }: BatchTasks): StepMetrics {
  const exported = new Set(sessionIds);
  const groups = tasks.map(({ accepted }) =>
    accepted.filter(({ sessionId }) => exported.has(sessionId)).map(({ rewards }) => sum(rewards.values())),
  );
  const several = groups.filter(({ length }) => length > 1);
  const equal = several.filter((rewards) => new Set(rewards).size === 1);
  const reward = summarize(groups.flat());
  const staleness = summarize(tasks.map((task) => version - task.version));
  return {
    ...(reward && { "reward/mean": reward.mean, "reward/min": reward.min, "reward/max": reward.max }),
    "episodes/accepted": exported.size,
    ...(several.length > 0 && { "groups/zero_variance_share": equal.length / several.length }),
    ...(staleness && { "staleness/mean": staleness.mean, "staleness/max": staleness.max }),
  };
}

function summarize(values: readonly number[]) {
  if (values.length === 0) return undefined;
  const [min, max] = values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  return { mean: sum(values) / values.length, min, max };
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
