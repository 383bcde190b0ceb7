import type { TaskResult } from "./task.js";

/**
 * Which tasks a batch contains.
 *
 * - `completion`: the oldest accepted tasks, as soon as there are enough. Older tasks that still run are waited for
 *   only if some of them would otherwise become too stale for any batch.
 * - `task`: the next tasks in order. A batch waits for slow tasks, so that batches do not depend on how long tasks
 *   take.
 */
export type BatchOrder = "completion" | "task";

export interface TakeOptions {
  /** Number of tasks in a batch. */
  readonly count: number;
  /** A task that began with this version is too stale for any later batch. */
  readonly dueVersion: number;
  /** True if no more tasks follow. The batch may then be smaller. */
  readonly last: boolean;
}

/** The tasks from their start until a batch takes them. They start in the order of their indices, except for those that run again. */
export class AcceptedTasks<Data> {
  readonly #order: BatchOrder;
  /** The version with which each task began. */
  readonly #running = new Map<number, number>();
  readonly #accepted = new Map<number, TaskResult<Data>>();

  constructor(order: BatchOrder) {
    this.#order = order;
  }

  start(index: number, version: number): void {
    this.#running.set(index, version);
  }

  /** Notes that a task has ended. `accepted` is its result, or undefined if it was rejected. */
  end(index: number, accepted: TaskResult<Data> | undefined): void {
    this.#running.delete(index);
    if (accepted) this.#accepted.set(index, accepted);
  }

  /** Returns the tasks of the next batch in order; undefined if it is not complete yet. */
  take({ count, dueVersion, last }: TakeOptions): TaskResult<Data>[] | undefined {
    if (this.#accepted.size < count && !last) return undefined;
    const indices = [...this.#accepted.keys()].toSorted((a, b) => a - b).slice(0, count);
    const mustWait = this.#order === "task" ? this.#runsBefore(indices) : this.#wouldExpire(indices, count, dueVersion);
    if (mustWait) return undefined;
    return indices.flatMap((index) => {
      const task = this.#accepted.get(index);
      this.#accepted.delete(index);
      return task ?? [];
    });
  }

  #runsBefore(indices: readonly number[]): boolean {
    const last = indices.at(-1) ?? 0;
    return [...this.#running.keys()].some((index) => index < last);
  }

  /**
   * Returns true if the batch overtakes older tasks, and some of these would then become too stale. Each later version
   * takes `count` tasks, and a task that began with version v can wait for v - dueVersion later versions.
   */
  #wouldExpire(indices: readonly number[], count: number, dueVersion: number): boolean {
    const batch = new Set(indices);
    const versions = (inBatch: boolean) =>
      [...this.#accepted.values()].filter(({ index }) => batch.has(index) === inBatch).map(({ version }) => version);
    const newest = Math.max(...versions(true));
    if (![...this.#running.values()].some((version) => version < newest)) return false;
    const remaining = [...this.#running.values(), ...versions(false)].toSorted((a, b) => a - b);
    return remaining.some((version, i) => i + 1 > count * (version - dueVersion));
  }
}
