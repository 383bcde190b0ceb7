import type { TaskResult } from "../../rollout/controller/task.js";
/**
 * Writes a JSON line for each rejected episode: the reason, the stack of the error and the standard error of the
 * agent's process.
 */
export declare class RolloutErrorLog {
    #private;
    /**
     * Removes the log of an earlier job.
     *
     * @param out the file of the batch; the log's name is this one followed by `.errors.jsonl`
     */
    constructor(out: string);
    /** The file, and why it is not complete if writing failed. Undefined if no episode was rejected. */
    get place(): string | undefined;
    /** Writes the rejected episodes of a task. A write error ends the log, not the job. */
    add(result: TaskResult): void;
    /** Results that come later are not written. */
    close(): void;
}
