import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { resolveAdminKey } from "../../config/index.js";
import { createRolloutJob } from "./rollout-job-spec.js";
import { runJobSpec } from "./run-job-spec.js";
/** Runs a rollout as processes of their own, on this machine or over Slurm, and prints the summary of its controller. */
export async function runScheduledRollout({ config, options, overrides }) {
    const { key: adminKey } = resolveAdminKey(config, process.env);
    const folder = resolve(options.jobFolder);
    const job = createRolloutJob({ config, options, overrides, folder, adminKey });
    if (await runJobSpec(config.scheduler.type, job))
        process.stdout.write(readSummary(job));
}
/** Returns what the controller printed after its ready line. */
function readSummary({ folder }) {
    const text = readFileSync(join(folder, "logs", "controller-0.out"), "utf8");
    return text.slice(text.indexOf("\n") + 1);
}
//# sourceMappingURL=run-scheduled.js.map