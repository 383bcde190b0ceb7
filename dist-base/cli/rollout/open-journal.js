import { createHash } from "node:crypto";
import { join } from "node:path";
import { RolloutJobError } from "./errors.js";
/** Folder in `storage.directory` with the records of the job. Those of the job's own proxy are beside it. */
const FOLDER = "controller";
/** Opens the records of the job on disk; undefined without `storage.directory`. */
export async function openJournal({ config, options, tasks }) {
    const { directory, durability, interval_seconds } = config.storage;
    const resume = options.resume ?? false;
    if (directory === null) {
        if (!resume)
            return undefined;
        const message = "--resume requires storage.directory, the folder of the job that was killed";
        throw new RolloutJobError("invalid_arguments", message);
    }
    const { fromVersion = 0 } = options;
    // Imported late, because it loads the native addon, which is not needed to report wrong arguments.
    const { JobJournal } = await import("../../leasing/job-journal.js");
    return JobJournal.open({
        directory: join(directory, FOLDER),
        durability,
        intervalMilliseconds: interval_seconds * 1000,
        digest: digestJob({ config, options, tasks }),
        tasks: tasks.length,
        version: fromVersion,
        firstBatch: config.rollout.consumer_batch_size === null ? 0 : fromVersion,
        resume,
    });
}
/** Returns a digest of what must not change when a job goes on. The agent, its trainer and limits may. */
function digestJob({ config, options, tasks }) {
    const { agent, consumer_batch_size } = config.rollout;
    const { turn_discount, export_style, concat_reward, export_filters } = agent;
    const fixed = {
        tasks,
        groupSize: options.groupSize ?? config.group_size,
        consumer_batch_size,
        layout: options.layout,
        turn_discount,
        export_style,
        concat_reward,
        export_filters,
    };
    return createHash("sha256").update(JSON.stringify(fixed)).digest("hex");
}
//# sourceMappingURL=open-journal.js.map