import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { RolloutEngine } from "../../rollout/contract.js";
import { onAbort } from "../../support/async/on-abort.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { readLines } from "../../support/processes/read-lines.js";
import { parseTrainerLine } from "./metrics/trainer-metrics.js";
import {
  createTrainerEnvironment,
  type Trainer,
  type TrainingResult,
  type TrainingStep,
  trainerFailed,
} from "./trainer.js";

const LONGEST_LINE_BYTES = 1 << 20;
const METRICS_LINE = /^\s*\{\s*"metrics"\s*:/;

/** A program that is run for each batch, and loads the new weights into the engine before it ends. */
export class BatchTrainer implements Trainer {
  readonly #command: readonly [string, ...string[]];
  readonly #engine: RolloutEngine;

  constructor(command: readonly [string, ...string[]], engine: RolloutEngine) {
    this.#command = command;
    this.#engine = engine;
  }

  /**
   * Runs the program on a batch. The next version is one higher.
   *
   * The file is its last argument and in ROLLTAPE_BATCH. The next version is in ROLLTAPE_VERSION. Its output is forwarded
   * to this process's standard error. A line `{"metrics": {…}}` of its standard output has metrics of the step.
   */
  async train({ file, version: before }: TrainingStep, signal: AbortSignal): Promise<TrainingResult> {
    signal.throwIfAborted();
    const [program, ...args] = this.#command;
    const [batch, version] = [resolve(file), before + 1];
    const env = { ...createTrainerEnvironment(this.#engine, version), ROLLTAPE_BATCH: batch };
    const child = spawn(program, [...args, batch], { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
    // Its own group, so that Ctrl-C reaches only the job, which ends the program itself.
    const group = new ChildGroup(child);
    // Forwarded instead of inherited, because it would overwrite the progress bar.
    forwardLines(child.stdout);
    const metrics: unknown[] = [];
    readLines(child.stdout, LONGEST_LINE_BYTES, (line) => {
      if (line !== undefined && METRICS_LINE.test(line)) metrics.push(readMetrics(line));
    });
    forwardLines(child.stderr);
    using _killing = onAbort(signal, () => group.kill());
    const end = await group.ended;
    if (end.how === "not_started") throw trainerFailed(`${program} could not be started: ${describeEnd(end)}`);
    signal.throwIfAborted();
    if (end.how !== "exit" || end.code !== 0) throw trainerFailed(`${program} ended with ${describeEnd(end)}`);
    return { version, metrics };
  }

  async end(): Promise<void> {}
}

/** Returns the metrics of a line; the line itself if it is not JSON. */
function readMetrics(line: string): unknown {
  try {
    return (parseTrainerLine(line) as { readonly metrics?: unknown }).metrics;
  } catch {
    return line;
  }
}
