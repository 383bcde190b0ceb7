import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Config, resolveAdminKey } from "../../config/index.js";
import { SchedulerError } from "../../scheduler/errors.js";
import type { JobSpec } from "../../scheduler/job.js";
import { runScheduledJob } from "../../scheduler/schedule.js";
import type { JobState } from "../../scheduler/slurm/job-state.js";
import { EXIT_INTERRUPTED, onInterrupt } from "./interrupt.js";
import { createRolloutJob } from "./rollout-job-spec.js";
import type { RolloutOptions } from "./rollout-options.js";

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
  const job = createRolloutJob({ config, options, overrides, folder, adminKey });
  const stop = new AbortController();
  const removeListeners = onInterrupt(() => {
    report("stopping the job");
    stop.abort();
  });
  try {
    await runScheduledJob(config.scheduler.type, job, {
      signal: stop.signal,
      onState: (id, { state, reason, nodes }: JobState) =>
        report(state === "RUNNING" ? `job ${id} runs on ${nodes}` : `job ${id} is ${state} (${reason})`),
    });
    process.stdout.write(readSummary(job));
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== "job_stopped" || !stop.signal.aborted) throw error;
    report("the job is stopped");
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    removeListeners();
  }
}

/** Returns what the controller printed after its ready line. */
function readSummary({ folder }: JobSpec): string {
  const text = readFileSync(join(folder, "logs", "controller-0.out"), "utf8");
  return text.slice(text.indexOf("\n") + 1);
}

function report(text: string): void {
  process.stderr.write(`rolltape: ${text}\n`);
}
