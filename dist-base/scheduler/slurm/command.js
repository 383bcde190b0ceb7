import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { SchedulerError } from "../errors.js";
const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/**
 * Runs a program of Slurm and returns its standard output.
 *
 * @throws {@link SchedulerError} `slurm_missing`, or `slurm_failed` with the program's standard error
 */
export async function slurm(program, args) {
    try {
        const { stdout } = await run(program, args, { maxBuffer: MAX_OUTPUT_BYTES });
        return stdout;
    }
    catch (cause) {
        if (isMissing(cause)) {
            const where = "Install Slurm's programs on the machine that submits a job, and on the machines that run it";
            throw new SchedulerError("slurm_missing", `${program} was not found on the PATH. ${where}.`, { cause });
        }
        throw new SchedulerError("slurm_failed", `${program} failed: ${readStandardError(cause)}`, { cause });
    }
}
function isMissing(error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT";
}
function readStandardError(error) {
    const text = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return text === "" ? String(error) : text;
}
//# sourceMappingURL=command.js.map