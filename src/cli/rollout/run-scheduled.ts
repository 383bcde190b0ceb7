import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, resolveAdminKey } from "../../config/index.js";
import type { JobSpec } from "../../scheduler/job.js";
import { readRegularFileSync } from "../../support/regular-file.js";
import { EXIT_TOO_FEW } from "../exit.js";
import { removeEndedJob } from "./open-store.js";
import { createRolloutJob, URL_FILE } from "./rollout-job-spec.js";
import type { RolloutOptions } from "./rollout-options.js";
import { runJobSpec } from "./run-job-spec.js";
import { saysTooFew } from "./summary.js";

export interface ScheduledRollout {
  readonly config: Config;
  readonly options: RolloutOptions & { readonly jobFolder: string };
  /** `key=value` arguments of the user. */
  readonly overrides: readonly string[];
}

/** Runs a rollout as processes of their own, on this machine or over Slurm, and prints the summary of its controller. */
export async function runScheduledRollout({ config, options, overrides }: ScheduledRollout): Promise<void> {
  const { key: adminKey } = resolveAdminKey(config, process.env);
  const folder = resolve(options.jobFolder);
  if (!options.resume) await removeEndedJob(join(folder, "state"));
  // The controller of a job that was killed may still be ending. Its workers end with it, those of this job must not.
  rmSync(join(folder, URL_FILE), { force: true });
  const job = createRolloutJob({ config, options, overrides, folder, adminKey });
  if (!(await runJobSpec(config.scheduler.type, job))) return;
  const summary = readSummary(job);
  process.stdout.write(summary);
  if (saysTooFew(summary)) process.exitCode = EXIT_TOO_FEW;
}

/** Returns what the controller printed after its ready line. */
function readSummary({ folder }: JobSpec): string {
  const text = readRegularFileSync(join(folder, "logs", "controller-0.out"));
  return text.slice(text.indexOf("\n") + 1);
}
