export interface RolloutTask {
    /** The task's own `task_id`, else `task-<number>`, counted from 0. */
    readonly taskId: string;
    /** The data that the agent gets. */
    readonly data: unknown;
}
/**
 * Reads tasks from a file: one JSON value on each line, or one JSON array. Empty lines are skipped.
 *
 * @throws RolloutJobError `invalid_data`, naming the line or the index at fault
 */
export declare function readTasks(file: string): Promise<RolloutTask[]>;
