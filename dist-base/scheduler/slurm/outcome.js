import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
/** The outcome of a job, which the job itself writes. */
const outcomeSchema = z.object({
    state: z.enum(["done", "failed", "stopped"]),
    message: z.string(),
    job_id: z.string(),
    /** How often Slurm had restarted the job. */
    requeues: z.int(),
});
const outcomeFile = ({ folder }) => join(folder, "outcome.json");
export function removeOutcome(job) {
    rmSync(outcomeFile(job), { force: true });
}
export function writeOutcome(job, outcome) {
    const file = outcomeFile(job);
    writeFileSync(`${file}.new`, `${JSON.stringify(outcome, null, 2)}\n`);
    renameSync(`${file}.new`, file);
}
/** Returns the outcome; undefined if the job wrote none, for example because Slurm killed it. */
export function readOutcome(job) {
    try {
        return outcomeSchema.parse(JSON.parse(readFileSync(outcomeFile(job), "utf8")));
    }
    catch {
        return undefined;
    }
}
//# sourceMappingURL=outcome.js.map