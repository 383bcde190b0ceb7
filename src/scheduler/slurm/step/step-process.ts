import { readFileSync } from "node:fs";
import { sleep } from "../../../support/async/sleep.js";
import { makeEnd } from "../../../support/processes/escalation.js";
import type { LaunchedProcess } from "../../launcher.js";
import type { ProcessEnd } from "../../process-end.js";
import type { RunningProcess } from "../../running-process.js";
import { slurm } from "../command.js";
import type { StepFiles } from "./step-files.js";

const LOOK_MS = 100;
/** How long the shared folder may take to show what another machine wrote. */
const LATE_FILES_MS = 5_000;
/** How long srun may take to kill a step. */
const KILL_SECONDS = 10;

export interface StepProcessOptions {
  /** The srun that is its stand-in here. */
  readonly running: RunningProcess;
  readonly files: StepFiles;
  readonly life: string;
  /** Slurm's id of the job, or of the part of a heterogeneous one, that has the machine. */
  readonly jobId: string;
  /** What srun says goes there. */
  readonly errors: string;
}

/** A process on a machine of the job. */
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
      await sleep(LOOK_MS, signal);
    }
  }

  async stop(seconds: number): Promise<void> {
    const { running } = this.#options;
    const asked = await this.#askToEnd();
    await makeEnd(running.ended, [
      { act: () => undefined, seconds: asked ? seconds : 0 },
      // For srun this is the order to kill the step.
      { act: () => running.signal("SIGTERM"), seconds: KILL_SECONDS },
      { act: () => running.signal("SIGKILL"), seconds: 0 },
    ]);
    await this.ended;
  }

  /** srun makes SIGKILL of a SIGTERM, so the process is signalled past it. Answers whether it was. */
  async #askToEnd(): Promise<boolean> {
    const { files, life, jobId } = this.#options;
    const step = files.started(life)?.step;
    if (this.#over || step === undefined || files.ended(life)) return false;
    // It signals all machines of the job and fails where one of them has nothing of the step; the others have heard it.
    await slurm("scancel", ["--signal=TERM", `${jobId}.${step}`]).catch(() => undefined);
    return true;
  }

  /** srun's status alone does not tell: it is 0 where the machine failed. */
  async #waitEnd(): Promise<ProcessEnd> {
    const { running, files, life } = this.#options;
    const end = await running.ended;
    this.#over = true;
    for (let waited = 0; end.code === 0 && !files.ended(life) && waited < LATE_FILES_MS; waited += LOOK_MS) {
      await sleep(LOOK_MS);
    }
    const ended = files.ended(life);
    if (ended) return { code: ended.code, text: ended.text };
    return { code: end.code === 0 ? 1 : end.code, text: `was lost: ${this.#saidBySrun() ?? `srun ${end.text}`}` };
  }

  #saidBySrun(): string | undefined {
    const lines = readFileSync(this.#options.errors, "utf8").split("\n");
    return lines.findLast((line) => line.startsWith("srun: error:"));
  }
}
