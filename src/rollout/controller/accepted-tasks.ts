import type { TaskResult } from "./task.js";

/**
 * Which tasks a batch is made of. `completion`: as soon as enough are accepted, the oldest of these; older tasks that still
 * run are waited for where they could else not all be trained on before they are too stale. `task`: a task comes only after every task before it, so that batches
 * do not depend on how long each took; slow ones are waited for.
 */
export type BatchOrder = "completion" | "task";

export interface TakeOptions {
  /** Tasks of a batch. */
  readonly count: number;
  /** A task that began with this version is too stale for any batch but this one. */
  readonly dueVersion: number;
  /** No task will come any more: there may be fewer. */
  readonly last: boolean;
}

/** Tasks from their start until a batch takes them. They start in the order of their indices. */
export class AcceptedTasks<Data> {
  readonly #order: BatchOrder;
  /** Version with which each began, oldest first. */
  readonly #running = new Map<number, number>();
  readonly #accepted = new Map<number, TaskResult<Data>>();

  constructor(order: BatchOrder) {
    this.#order = order;
  }

  start(index: number, version: number): void {
    this.#running.set(index, version);
  }

  /** A task has ended; its result where it was accepted. */
  end(index: number, accepted: TaskResult<Data> | undefined): void {
    this.#running.delete(index);
    if (accepted) this.#accepted.set(index, accepted);
  }

  /** The tasks of the next batch, in their order. Undefined: it is not complete yet. */
  take({ count, dueVersion, last }: TakeOptions): TaskResult<Data>[] | undefined {
    if (this.#accepted.size < count && !last) return undefined;
    const indices = [...this.#accepted.keys()].toSorted((a, b) => a - b).slice(0, count);
    const waits = this.#order === "task" ? this.#runsBefore(indices) : this.#wouldSpoil(indices, count, dueVersion);
    if (waits) return undefined;
    return indices.flatMap((index) => {
      const task = this.#accepted.get(index);
      this.#accepted.delete(index);
      return task ?? [];
    });
  }

  #runsBefore(indices: readonly number[]): boolean {
    const [oldest] = this.#running.keys();
    return oldest !== undefined && oldest < (indices.at(-1) ?? 0);
  }

  /**
   * Whether the batch overtakes older tasks of which some would then be too stale: each later version takes `count` tasks,
   * and one that began with version v can wait for v - dueVersion of them.
   */
  #wouldSpoil(indices: readonly number[], count: number, dueVersion: number): boolean {
    const batch = new Set(indices);
    const versions = (chosen: boolean) =>
      [...this.#accepted.values()].filter(({ index }) => batch.has(index) === chosen).map(({ version }) => version);
    const newest = Math.max(...versions(true));
    if (![...this.#running.values()].some((version) => version < newest)) return false;
    const left = [...this.#running.values(), ...versions(false)].toSorted((a, b) => a - b);
    return left.some((version, i) => i + 1 > count * (version - dueVersion));
  }
}
