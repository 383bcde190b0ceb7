import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readRegularFileSync } from "../../support/regular-file.js";
import type { JobSpec } from "../job.js";

/** The outcome of a job, which the job itself writes. */
const outcomeSchema = z.object({
  state: z.enum(["done", "failed", "stopped"]),
  message: z.string(),
  job_id: z.string(),
  /** How often Slurm had restarted the job. */
  requeues: z.int(),
});

export type SlurmJobOutcome = z.output<typeof outcomeSchema>;

const outcomeFile = ({ folder }: JobSpec) => join(folder, "outcome.json");

export function removeOutcome(job: JobSpec): void {
  rmSync(outcomeFile(job), { force: true });
}

export function writeOutcome(job: JobSpec, outcome: SlurmJobOutcome): void {
  const file = outcomeFile(job);
  writeFileSync(`${file}.new`, `${JSON.stringify(outcome, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Returns the outcome; undefined if the job wrote none, for example because Slurm killed it. */
export function readOutcome(job: JobSpec): SlurmJobOutcome | undefined {
  try {
    return outcomeSchema.parse(JSON.parse(readRegularFileSync(outcomeFile(job))));
  } catch {
    return undefined;
  }
}
