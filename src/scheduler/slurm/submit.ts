import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { permissions } from "../../support/private-files.js";
import { SchedulerError } from "../errors.js";
import type { JobSpec } from "../job.js";
import { slurm } from "./command.js";
import { listGroups } from "./layout.js";
import { nodeProgram } from "./node-program.js";
import { removeOutcome } from "./outcome.js";

/** Time that a role may take to stop in addition to `stop_seconds` of its processes. */
const ROLE_MARGIN_SECONDS = 15;
const LONGEST_SIGNAL_SECONDS = 65_535;

/** Returns the maximum time that a job takes to stop in order, role after role. */
export function countStopSeconds({ roles, stop_seconds }: JobSpec): number {
  return roles.length * (stop_seconds + ROLE_MARGIN_SECONDS);
}

/**
 * Submits a job to Slurm, which starts it when it has machines for it. Returns Slurm's id of the job.
 *
 * @throws {@link SchedulerError} `job_invalid`, `slurm_missing`, or `job_unplaced` if Slurm refuses the job
 */
export async function submit(job: JobSpec): Promise<string> {
  const args = ["--parsable", ...createOptions(job), join(job.folder, "job.sh")];
  mkdirSync(join(job.folder, "logs"), { recursive: true, mode: permissions.folder });
  removeOutcome(job);
  // Environments may contain keys, so only the owner may read the file.
  writeFileSync(join(job.folder, "job.json"), JSON.stringify(job), { mode: 0o600 });
  writeScript(job);
  try {
    // If there are several clusters, the id is followed by the name of one.
    return (await slurm("sbatch", args)).trim().replace(/;.*/, "");
  } catch (cause) {
    if (!(cause instanceof SchedulerError) || cause.code !== "slurm_failed") throw cause;
    throw new SchedulerError("job_unplaced", `Slurm refused the job: ${cause.message}`, { cause });
  }
}

/** Returns the options of each group of machines, separated by colons. */
function createOptions(job: JobSpec): string[] {
  const { options, requeue } = job.slurm;
  const common = [
    `--job-name=${job.name}`,
    `--output=${job.folder.replaceAll("%", "%%")}/logs/slurm-%j.out`,
    "--open-mode=append",
    // The job survives the failure of a machine. Only the failure of the first machine restarts it.
    "--no-kill",
    requeue ? "--requeue" : "--no-requeue",
    ...createWarning(job),
    ...options,
  ];
  return listGroups(job).flatMap((group, i) => [
    ...(i === 0 ? [] : [":"]),
    ...common,
    `--nodes=${group.nodes}`,
    ...group.options,
  ]);
}

/** Asks Slurm to send the job SIGTERM before its time limit, so that it stops in order. An option --signal of the job takes precedence. */
function createWarning(job: JobSpec): string[] {
  const all = [...job.slurm.options, ...listGroups(job).flatMap(({ options }) => options)];
  if (all.some((option) => option.startsWith("--signal"))) return [];
  // Without this limit, a job of a few minutes would be stopped as soon as it starts.
  const most = Math.floor((parseTimeLimit(all) ?? Number.POSITIVE_INFINITY) / 4);
  return [`--signal=B:TERM@${Math.min(LONGEST_SIGNAL_SECONDS, most, Math.ceil(countStopSeconds(job)))}`];
}

function writeScript({ folder }: JobSpec): void {
  const file = join(folder, "job.sh");
  const command = [...nodeProgram("batch-main"), folder].map(quote).join(" ");
  // With exec, signals to the script reach the program.
  writeFileSync(file, `#!/bin/sh\nexec ${command}\n`);
  chmodSync(file, 0o755);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Days, hours, minutes, seconds: `3-12`, `3-12:30`, `3-12:30:00`, `12:30:00`, `30:00`, `30`. */
const TIME = /^(?:--time=|-t=?)(?:(\d+)-)?(\d+)(?::(\d+))?(?::(\d+))?$/;

/** Returns the time limit in sbatch options, in seconds; undefined if they have none or it cannot be parsed. */
export function parseTimeLimit(options: readonly string[]): number | undefined {
  const found = options.map((option) => TIME.exec(option)).findLast((match) => match !== null);
  if (!found) return undefined;
  const [days, first = 0, second, third] = found
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  // The first number is hours if there are days or three numbers, else minutes.
  const isHours = days !== undefined || third !== undefined;
  const [hours, minutes, seconds] = isHours ? [first, second, third] : [0, first, second];
  return (((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0);
}
