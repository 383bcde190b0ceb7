import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { SchedulerError } from "../../scheduler/errors.js";
import { parseJob } from "../../scheduler/parse-job.js";
/**
 * Reads the description of a job from a YAML file.
 *
 * @throws {@link SchedulerError} `job_invalid`, each line with the file's name
 */
export async function readJobFile(file) {
    try {
        return parseJob(parse(await readFile(file, "utf8")));
    }
    catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new SchedulerError("job_invalid", why.replace(/^/gm, `${file}: `), { cause });
    }
}
//# sourceMappingURL=job-file.js.map