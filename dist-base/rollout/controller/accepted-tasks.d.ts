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
export declare class AcceptedTasks<Data> {
    #private;
    constructor(order: BatchOrder);
    start(index: number, version: number): void;
    /** Notes that a task has ended. `accepted` is its result, or undefined if it was rejected. */
    end(index: number, accepted: TaskResult<Data> | undefined): void;
    /** Returns the tasks of the next batch in order; undefined if it is not complete yet. */
    take({ count, dueVersion, last }: TakeOptions): TaskResult<Data>[] | undefined;
}
