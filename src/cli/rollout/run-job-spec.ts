import { SchedulerError } from "../../scheduler/errors.js";
import type { JobSpec } from "../../scheduler/job.js";
import { runScheduledJob } from "../../scheduler/schedule.js";
import type { JobState } from "../../scheduler/slurm/job-state.js";
import { describeKept } from "../../scheduler/supervisor.js";
import { EXIT_INTERRUPTED, onInterrupt } from "./interrupt.js";

/**
 * Runs the processes of a job until its controller has ended, and reports progress on standard error.
 *
 * @returns false if the user stopped the job; the exit status is then set
 */
export async function runJobSpec(type: Parameters<typeof runScheduledJob>[0], spec: JobSpec): Promise<boolean> {
  const stop = new AbortController();
  const removeListeners = onInterrupt(() => {
    report("stopping the job");
    stop.abort();
  });
  try {
    await runScheduledJob(type, spec, {
      signal: stop.signal,
      onState: (id, state) => report(describe(id, state)),
      onKept: (kept) => report(describeKept(kept)),
    });
    return true;
  } catch (error) {
    if (!(error instanceof SchedulerError) || error.code !== "job_stopped" || !stop.signal.aborted) throw error;
    report("the job is stopped");
    process.exitCode = EXIT_INTERRUPTED;
    return false;
  } finally {
    removeListeners();
  }
}

export function report(text: string): void {
  process.stderr.write(`rolltape: ${text}\n`);
}

function describe(id: string, { state, reason, nodes }: JobState): string {
  return state === "RUNNING" ? `job ${id} runs on ${nodes}` : `job ${id} is ${state} (${reason})`;
}
