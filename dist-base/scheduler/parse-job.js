import { z } from "zod";
import { SchedulerError } from "./errors.js";
import { jobSchema } from "./job.js";
import { findNearestJobKey } from "./nearest-job-key.js";
/** Number of characters of a wrong value that an error shows. */
const SHOWN_LENGTH = 60;
/**
 * Checks the description of a job and fills in the defaults.
 *
 * @throws {@link SchedulerError} `job_invalid` with one line per problem
 */
export function parseJob(written) {
    const result = jobSchema.safeParse(written, { reportInput: true });
    if (result.success)
        return result.data;
    throw new SchedulerError("job_invalid", result.error.issues.flatMap(describeIssue).join("\n"));
}
function describeIssue(issue) {
    if (issue.code === "unrecognized_keys") {
        const nearest = (key) => findNearestJobKey(issue.path, key);
        return issue.keys.map((key) => `${formatPath([...issue.path, key])}: unknown key; did you mean ${nearest(key)}?`);
    }
    const expected = issue.message.replace(/^Invalid \w+: /, "").replace(/, received .*/, "");
    // A value of an environment may be a secret key, so it is not shown.
    const received = issue.path.includes("env") ? `a value of type ${typeof issue.input}` : show(issue.input);
    return [`${formatPath(issue.path)}: ${expected}, got ${received}`];
}
/** Returns a path as text: `roles[0].count`. */
function formatPath(path) {
    const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    return text === "" ? "the job" : text.replace(/^\./, "");
}
function show(value) {
    const text = value === undefined ? "nothing" : JSON.stringify(value);
    return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}
//# sourceMappingURL=parse-job.js.map