import { sleep } from "../../../support/async/sleep.js";
import { makeEnd } from "../../../support/processes/escalation.js";
import { readRegularFileSync } from "../../../support/regular-file.js";
import type { LaunchedProcess } from "../../launcher.js";
import type { ProcessEnd } from "../../process-end.js";
import type { RunningProcess } from "../../running-process.js";
import { slurm } from "../command.js";
import type { StepFiles } from "./step-files.js";

const POLL_MS = 100;
/** Maximum time until the shared folder shows what another machine wrote. */
const LATE_FILES_MS = 5_000;
/** Maximum time that srun may take to kill a step. */
const KILL_SECONDS = 10;

export interface StepProcessOptions {
  /** The local srun process that runs the step. */
  readonly running: RunningProcess;
  readonly files: StepFiles;
  readonly life: string;
  /** Slurm's id of the job, or of the part of a heterogeneous job, that has the machine. */
  readonly jobId: string;
  /** File with srun's standard error. */
  readonly errors: string;
}

/** A process of the job on another machine, run as a Slurm step. */
export class StepProcess implements LaunchedProcess {
  readonly ended: Promise<ProcessEnd>;
  readonly #options: StepProcessOptions;
  #over = false;

  constructor(options: StepProcessOptions) {
    this.#options = options;
    this.ended = this.#waitEnd();
  }

  async started(signal: AbortSignal): Promise<string> {
    const { files, life } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const started = files.started(life);
      if (started) return String(started.port);
      await sleep(POLL_MS, signal);
    }
  }

  async stop(seconds: number): Promise<void> {
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
  async #askToEnd(): Promise<boolean> {
    const { files, life, jobId } = this.#options;
    const step = files.started(life)?.step;
    if (this.#over || step === undefined || files.ended(life)) return false;
    // scancel signals all machines of the job. It fails if one of them has no process of the step, but the others get
    // it.
    await slurm("scancel", ["--signal=TERM", `${jobId}.${step}`]).catch(() => undefined);
    return true;
  }

  /** Reads the end from the status file, because srun's own status is 0 if the machine failed. */
  async #waitEnd(): Promise<ProcessEnd> {
    const { running, files, life } = this.#options;
    const end = await running.ended;
    this.#over = true;
    for (let waited = 0; end.code === 0 && !files.ended(life) && waited < LATE_FILES_MS; waited += POLL_MS) {
      await sleep(POLL_MS);
    }
    const ended = files.ended(life);
    if (ended) return { code: ended.code, text: ended.text };
    return { code: end.code === 0 ? 1 : end.code, text: `was lost: ${this.#readSrunError() ?? `srun ${end.text}`}` };
  }

  #readSrunError(): string | undefined {
    const lines = readRegularFileSync(this.#options.errors).split("\n");
    return lines.findLast((line) => line.startsWith("srun: error:"));
  }
}
