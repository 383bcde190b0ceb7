import { readFileSync } from "node:fs";
import { sleep } from "../../../support/async/sleep.js";
import { makeEnd } from "../../../support/processes/escalation.js";
import { slurm } from "../command.js";
const POLL_MS = 100;
/** Maximum time until the shared folder shows what another machine wrote. */
const LATE_FILES_MS = 5_000;
/** Maximum time that srun may take to kill a step. */
const KILL_SECONDS = 10;
/** A process of the job on another machine, run as a Slurm step. */
export class StepProcess {
    ended;
    #options;
    #over = false;
    constructor(options) {
        this.#options = options;
        this.ended = this.#waitEnd();
    }
    async started(signal) {
        const { files, life } = this.#options;
        for (;;) {
            signal.throwIfAborted();
            const started = files.started(life);
            if (started)
                return String(started.port);
            await sleep(POLL_MS, signal);
        }
    }
    async stop(seconds) {
        const { running } = this.#options;
        const asked = await this.#askToEnd();
        await makeEnd(running.ended, [
            { act: () => undefined, seconds: asked ? seconds : 0 },
            // srun reacts to SIGTERM by killing the step.
            { act: () => running.signal("SIGTERM"), seconds: KILL_SECONDS },
            { act: () => running.signal("SIGKILL"), seconds: 0 },
        ]);
        await this.ended;
    }
    /**
     * Sends SIGTERM to the process with scancel, because srun would turn a SIGTERM into SIGKILL. Returns true if it was
     * sent.
     */
    async #askToEnd() {
        const { files, life, jobId } = this.#options;
        const step = files.started(life)?.step;
        if (this.#over || step === undefined || files.ended(life))
            return false;
        // scancel signals all machines of the job. It fails if one of them has no process of the step, but the others get
        // it.
        await slurm("scancel", ["--signal=TERM", `${jobId}.${step}`]).catch(() => undefined);
        return true;
    }
    /** Reads the end from the status file, because srun's own status is 0 if the machine failed. */
    async #waitEnd() {
        const { running, files, life } = this.#options;
        const end = await running.ended;
        this.#over = true;
        for (let waited = 0; end.code === 0 && !files.ended(life) && waited < LATE_FILES_MS; waited += POLL_MS) {
            await sleep(POLL_MS);
        }
        const ended = files.ended(life);
        if (ended)
            return { code: ended.code, text: ended.text };
        return { code: end.code === 0 ? 1 : end.code, text: `was lost: ${this.#readSrunError() ?? `srun ${end.text}`}` };
    }
    #readSrunError() {
        const lines = readFileSync(this.#options.errors, "utf8").split("\n");
        return lines.findLast((line) => line.startsWith("srun: error:"));
    }
}
//# sourceMappingURL=step-process.js.map