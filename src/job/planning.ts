import { describe } from "../rollout/describe.js";
import { ControllerError } from "./errors.js";

/**
 * Limits on how far rollouts may run ahead of the trainer. A rollout is one task: one episode, or a group of episodes.
 */
export interface StalenessLimits {
  /** Maximum number of concurrent rollouts. */
  readonly maxConcurrentRollouts: number;
  /** Maximum number of weight versions that a rollout may be behind when the trainer consumes it. */
  readonly maxStaleness: number;
  /** Number of rollouts that the trainer consumes per version. */
  readonly consumerBatchSize: number;
}

export interface Progress {
  readonly version: number;
  readonly running: number;
  /** Accepted rollouts, including those of written batches and those of all versions before the job's first one. */
  readonly accepted: number;
  /** Additional rollouts that may start, because the trainer took batches without a new version. */
  readonly extra: number;
}

/**
 * Returns how many more rollouts may start:
 *
 * free = min(maxConcurrent − running, (maxStaleness + version + 1) × batchSize − (accepted + running))
 *
 * So at most as many rollouts begin as the trainer consumes until version `version + maxStaleness`. If the trainer
 * takes the oldest first, one batch per version, no rollout is staler than `maxStaleness`.
 */
export function freeSlots(limits: StalenessLimits, { version, running, accepted, extra }: Progress): number {
  const { maxConcurrentRollouts, maxStaleness, consumerBatchSize } = limits;
  const limit = (maxStaleness + version + 1) * consumerBatchSize + extra;
  return Math.max(0, Math.min(maxConcurrentRollouts - running, limit - (accepted + running)));
}

/** @throws ControllerError `invalid_option` if a limit is out of its range. The options may be anything if the caller has no types. */
export function assertLimits(options: Partial<StalenessLimits> | undefined): void {
  if (typeof options !== "object" || options === null) {
    const expected = "an object with maxConcurrentRollouts, maxStaleness and consumerBatchSize";
    throw new ControllerError("invalid_option", `options must be ${expected}; received ${describe(options)}.`);
  }
  assertWhole("maxConcurrentRollouts", options.maxConcurrentRollouts, 1);
  assertWhole("maxStaleness", options.maxStaleness, 0);
  assertWhole("consumerBatchSize", options.consumerBatchSize, 1);
}

export function assertWhole(name: string, value: unknown, least: number): void {
  if (Number.isSafeInteger(value) && Number(value) >= least) return;
  throw new ControllerError(
    "invalid_option",
    `${name} must be an integer of at least ${least}; received ${describe(value)}.`,
  );
}

/**
 * Which tasks a batch contains.
 *
 * - `completion`: the oldest accepted tasks, as soon as there are enough. Older tasks that still run are waited for
 *   only if some of them would otherwise become too stale for any batch.
 * - `task`: the next tasks in order. A batch waits for slow tasks, so that batches do not depend on how long tasks
 *   take.
 */
export type BatchOrder = "completion" | "task";

/** A task that runs or was accepted. */
export interface StartedTask {
  readonly index: number;
  /** The weight version when it began. */
  readonly version: number;
}

export interface BatchQuestion {
  readonly order: BatchOrder;
  /** Number of tasks in a batch. */
  readonly count: number;
  /** A task that began with this version is too stale for any later batch. */
  readonly dueVersion: number;
  /** True if no more tasks follow. The batch may then be smaller. */
  readonly last: boolean;
  /** Accepted tasks that are in no batch yet, in the order of their indices. */
  readonly accepted: readonly StartedTask[];
  readonly running: readonly StartedTask[];
}

/** Returns the indices of the next batch in order; undefined if it is not complete yet. */
export function chooseBatch({
  order,
  count,
  last,
  accepted,
  running,
  dueVersion,
}: BatchQuestion): number[] | undefined {
  if (accepted.length < count && !last) return undefined;
  const [batch, later] = [accepted.slice(0, count), accepted.slice(count)];
  const end = batch.at(-1)?.index ?? 0;
  const mustWait =
    order === "task"
      ? running.some(({ index }) => index < end)
      : overtakes(batch, running) && wouldExpire([...running, ...later], count, dueVersion);
  return mustWait ? undefined : batch.map(({ index }) => index);
}

function overtakes(batch: readonly StartedTask[], running: readonly StartedTask[]): boolean {
  // Not `Math.max` of all versions: a batch may have more tasks than a call can have arguments.
  const newest = batch.reduce((most, { version }) => Math.max(most, version), Number.NEGATIVE_INFINITY);
  return running.some(({ version }) => version < newest);
}

/**
 * Returns true if some of the tasks that remain would become too stale for any batch. Each later version takes `count`
 * tasks, and a task that began with version v can wait for v - dueVersion later versions.
 */
function wouldExpire(remaining: readonly StartedTask[], count: number, dueVersion: number): boolean {
  const versions = remaining.map(({ version }) => version).toSorted((a, b) => a - b);
  return versions.some((version, i) => i + 1 > count * (version - dueVersion));
}
