import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { JobSpec } from "../job.js";

/** What came of a job, said from inside it. */
const outcomeSchema = z.object({
  state: z.enum(["done", "failed", "stopped"]),
  message: z.string(),
  job_id: z.string(),
  /** How often Slurm had started the job anew. */
  requeues: z.int(),
});

export type Outcome = z.output<typeof outcomeSchema>;

const fileOf = ({ folder }: JobSpec) => join(folder, "outcome.json");

export function forgetOutcome(job: JobSpec): void {
  rmSync(fileOf(job), { force: true });
}

export function writeOutcome(job: JobSpec, outcome: Outcome): void {
  const file = fileOf(job);
  writeFileSync(`${file}.new`, `${JSON.stringify(outcome, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** Undefined where the job has said nothing: Slurm may have ended it. */
export function readOutcome(job: JobSpec): Outcome | undefined {
  try {
    return outcomeSchema.parse(JSON.parse(readFileSync(fileOf(job), "utf8")));
  } catch {
    return undefined;
  }
}
