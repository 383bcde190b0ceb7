import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type JobInput, type JobSpec, jobSchema } from "../../../src/scheduler/job.js";

export const shell = (script: string) => ["sh", "-c", script];

/** Returns a command that prints its address and runs until it is asked to stop. It logs its start and stop in the job's `log`. */
export function announcing(name: string): string[] {
  return shell(
    `echo start ${name} {port} >> {folder}/log; echo '{"url":"http://{node}:{port}"}'; ` +
      `trap 'echo stop ${name} >> {folder}/log; exit 0' TERM; while :; do sleep 0.05; done`,
  );
}

export function smallJob(folder: string, roles: JobInput["roles"], slurm: JobInput["slurm"] = {}): JobSpec {
  return jobSchema.parse({ folder, stop_seconds: 2, roles, slurm: { poll_seconds: 0.05, ...slurm } });
}

/** The lines of a file that processes append to; none where it is not there. */
export function readLines(folder: string, name = "log"): string[] {
  try {
    return readFileSync(join(folder, name), "utf8").trim().split("\n");
  } catch {
    return [];
  }
}
