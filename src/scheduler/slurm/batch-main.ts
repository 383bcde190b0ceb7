// Runs on the first machine of a job: starts its processes there and on the other machines, and writes the outcome.
// Usage: batch-main FOLDER
import { join } from "node:path";
import { readRegularFileSync } from "../../support/regular-file.js";
import { SchedulerError } from "../errors.js";
import { jobSchema } from "../job.js";
import { describeKept, type KeptSessions, runJob } from "../supervisor.js";
import { Allocation } from "./allocation.js";
import { removeOutcome, type SlurmJobOutcome, writeOutcome } from "./outcome.js";
import { SlurmLauncher } from "./slurm-launcher.js";

const stop = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());

const job = jobSchema.parse(JSON.parse(readRegularFileSync(join(process.argv[2] ?? "", "job.json"))));
const { SLURM_JOB_ID: job_id = "", SLURM_RESTART_COUNT: restarts = "0" } = process.env;
// The outcome of an earlier run may exist, because Slurm restarts the job if it loses its first machine.
removeOutcome(job);
const { state, message } = await run();
writeOutcome(job, { state, message, job_id, requeues: Number(restarts) });
process.stderr.write(`rolltape: the job is ${state}${message === "" ? "" : `: ${message}`}\n`);
process.exit(state === "done" ? 0 : 1);

async function run(): Promise<Pick<SlurmJobOutcome, "state" | "message">> {
  try {
    const launcher = new SlurmLauncher(job, await Allocation.read(job, process.env));
    const onKept = (kept: KeptSessions) => void process.stderr.write(`rolltape: ${describeKept(kept)}\n`);
    await runJob(job, { launcher, signal: stop.signal, onKept });
    return { state: "done", message: "" };
  } catch (error) {
    const stopped = error instanceof SchedulerError && error.code === "job_stopped";
    return { state: stopped ? "stopped" : "failed", message: error instanceof Error ? error.message : String(error) };
  }
}
