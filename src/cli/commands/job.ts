import { refuseUnused, resolveConfig, UNUSED_BY_JOB } from "../../config/index.js";
import { SchedulerError } from "../../scheduler/errors.js";
import { runScheduledJob } from "../../scheduler/schedule.js";
import type { JobState } from "../../scheduler/slurm/job-state.js";
import type { ConfigOptions } from "../config-options.js";
import { EXIT_INTERRUPTED, onInterrupt } from "../rollout/interrupt.js";
import { readJobFile } from "./job-file.js";

/** `rolltape job`: runs the processes of a job until its controller has ended. Reports progress on standard error. */
export async function job(file: string, overrides: readonly string[], { config }: ConfigOptions): Promise<void> {
  const { type } = resolveConfig({ file: config, overrides }).scheduler;
  refuseUnused(overrides, UNUSED_BY_JOB);
  const spec = await readJobFile(file);
  const stop = new AbortController();
  const removeListeners = onInterrupt(() => {
    report("stopping the job");
    stop.abort();
  });
  try {
    await runScheduledJob(type, spec, { signal: stop.signal, onState: (id, state) => report(describe(id, state)) });
    report(`the job is done; its logs are in ${spec.folder}/logs`);
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== "job_stopped" || !stop.signal.aborted) throw error;
    report("the job is stopped");
    process.exitCode = EXIT_INTERRUPTED;
  } finally {
    removeListeners();
  }
}

function describe(id: string, { state, reason, nodes }: JobState): string {
  return state === "RUNNING" ? `job ${id} runs on ${nodes}` : `job ${id} is ${state} (${reason})`;
}

function report(text: string): void {
  process.stderr.write(`rolltape: ${text}\n`);
}
