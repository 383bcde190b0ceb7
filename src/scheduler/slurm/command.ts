import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SchedulerError } from "../errors.js";

const run = promisify(execFile);

export type SlurmProgram = "sbatch" | "scancel" | "scontrol" | "squeue";

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program of Slurm and answers its standard output.
 *
 * @throws {@link SchedulerError} `slurm_missing`, or `slurm_failed` with what it said
 */
export async function slurm(program: SlurmProgram, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(program, args, { maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (cause) {
    if (isMissing(cause)) {
      const where = "Slurm's programs must be installed where a job is submitted and on its machines";
      throw new SchedulerError("slurm_missing", `${program} was not found on the PATH: ${where}.`, { cause });
    }
    throw new SchedulerError("slurm_failed", `${program} failed: ${saidBy(cause)}`, { cause });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function saidBy(error: unknown): string {
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said === "" ? String(error) : said;
}
