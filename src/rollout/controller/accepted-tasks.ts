import type { TaskResult } from "./task.js";

/**
 * Which tasks a batch is made of. `completion`: as soon as enough are accepted, the oldest of these; only tasks that would
 * be too stale for the next batch are waited for. `task`: a task comes only after every task before it, so that batches
 * do not depend on how long each took; slow ones are waited for.
 */
export type BatchOrder = "completion" | "task";

export interface TakeOptions {
  /** Tasks of a batch. */
  readonly count: number;
  /** Running tasks that began with this version or an older one are waited for. */
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
    const [oldest] = this.#running;
    if (oldest !== undefined) {
      const [index, version] = oldest;
      if (version <= dueVersion || (this.#order === "task" && index < (indices.at(-1) ?? 0))) return undefined;
    }
    return indices.flatMap((index) => {
      const task = this.#accepted.get(index);
      this.#accepted.delete(index);
      return task ?? [];
    });
  }
}
