import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { slurm } from "./command.js";
import { groupsOf } from "./layout.js";
import { nodeProgram } from "./node-program.js";
import { forgetOutcome } from "./outcome.js";
import { timeLimitSeconds } from "./time-limit.js";

/** What a role may take to stop beyond its processes' own time. */
const ROLE_MARGIN_SECONDS = 15;
const LONGEST_SIGNAL_SECONDS = 65_535;

/** How long a job may take to stop in order, role after role. */
export function stopSeconds({ roles, stop_seconds }: JobSpec): number {
  return roles.length * (stop_seconds + ROLE_MARGIN_SECONDS);
}

/**
 * Hands a job to Slurm, which starts it when it has machines for it. Answers Slurm's id of the job.
 *
 * @throws {@link SchedulerError} `job_invalid`, `slurm_missing`, or `job_unplaced` where Slurm refuses the job
 */
export async function submit(job: JobSpec): Promise<string> {
  const args = ["--parsable", ...jobOptions(job), join(job.folder, "job.sh")];
  mkdirSync(join(job.folder, "logs"), { recursive: true });
  forgetOutcome(job);
  // Environments may hold keys.
  writeFileSync(join(job.folder, "job.json"), JSON.stringify(job), { mode: 0o600 });
  writeScript(job);
  try {
    // With the name of a cluster behind it where there are several.
    return (await slurm("sbatch", args)).trim().replace(/;.*/, "");
  } catch (cause) {
    if (!(cause instanceof SchedulerError) || cause.code !== "slurm_failed") throw cause;
    throw new SchedulerError("job_unplaced", `Slurm does not take the job: ${cause.message}`, { cause });
  }
}

/** Options of each group of machines, with colons between them. */
function jobOptions(job: JobSpec): string[] {
  const { options, requeue } = job.slurm;
  const common = [
    `--job-name=${job.name}`,
    `--output=${job.folder.replaceAll("%", "%%")}/logs/slurm-%j.out`,
    "--open-mode=append",
    // The job goes on without a machine that failed; without the first one it starts anew.
    "--no-kill",
    requeue ? "--requeue" : "--no-requeue",
    ...warning(job),
    ...options,
  ];
  return groupsOf(job).flatMap((group, i) => [
    ...(i === 0 ? [] : [":"]),
    ...common,
    `--nodes=${group.nodes}`,
    ...group.options,
  ]);
}

/** Before the end of its time the job is asked to stop in order, unless its own options say how. */
function warning(job: JobSpec): string[] {
  const all = [...job.slurm.options, ...groupsOf(job).flatMap(({ options }) => options)];
  if (all.some((option) => option.startsWith("--signal"))) return [];
  // A job of a few minutes would be asked as soon as it starts.
  const most = Math.floor((timeLimitSeconds(all) ?? Number.POSITIVE_INFINITY) / 4);
  return [`--signal=B:TERM@${Math.min(LONGEST_SIGNAL_SECONDS, most, Math.ceil(stopSeconds(job)))}`];
}

function writeScript({ folder }: JobSpec): void {
  const file = join(folder, "job.sh");
  const command = [...nodeProgram("batch-main"), folder].map(quote).join(" ");
  // exec: signals to the script are meant for it.
  writeFileSync(file, `#!/bin/sh\nexec ${command}\n`);
  chmodSync(file, 0o755);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
