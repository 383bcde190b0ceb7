import { type ChildProcessByStdio, spawn } from "node:child_process";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { z } from "zod";
import type { RolloutEngine } from "../../rollout/contract.js";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import { onAbort } from "../../support/async/on-abort.js";
import { untilAborted } from "../../support/async/until-aborted.js";
import { makeInert } from "../../support/inert-text.js";
import { type ChildEnd, describeEnd } from "../../support/processes/child-end.js";
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
const SHOWN_CHARACTERS = 200;
/** Time that a program has to save its state after the job was stopped. */
const STOP_SECONDS = 10;

const answer = z.object({
  version: z.int32().min(0),
  weights: z.string().min(1).optional(),
  step: z.int().optional(),
  metrics: z.unknown().optional(),
});
type Answer = z.output<typeof answer>;

export interface PersistentTrainerOptions {
  readonly command: readonly [string, ...string[]];
  readonly engine: RolloutEngine;
  /** Weight version at the start. */
  readonly version: number;
  /** Called if the program fails, also while it has no batch. */
  readonly onFailure: (error: Error) => void;
}

/**
 * One program for all batches of a job. It reads a JSON line for each batch on its standard input, and writes a JSON line
 * on its standard output when it has consumed it. Other lines of its output go to this process's standard error.
 */
export class PersistentTrainer implements Trainer {
  readonly #program: string;
  readonly #onFailure: (error: Error) => void;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #group: ChildGroup;
  /** Settles with the answer to the batch that the program has. */
  #answer: (Deferred<TrainingResult> & Pick<TrainingStep, "step" | "version">) | undefined;
  #failure: Error | undefined;
  /** True when no more batches follow, so that the program may end. */
  #complete = false;

  constructor({ command: [program, ...args], engine, version, onFailure }: PersistentTrainerOptions) {
    this.#program = program;
    this.#onFailure = onFailure;
    const env = createTrainerEnvironment(engine, version);
    this.#child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"], env, detached: true });
    // Its own group, so that Ctrl-C reaches only the job, which ends the program itself.
    this.#group = new ChildGroup(this.#child);
    // Writing fails if the program has ended, which `#ended` reports.
    this.#child.stdin.on("error", () => {});
    forwardLines(this.#child.stderr);
    readLines(this.#child.stdout, LONGEST_LINE_BYTES, (line) => this.#read(line));
    void this.#group.ended.then((end) => this.#ended(end));
  }

  async train({ file, step, version, tasks }: TrainingStep, signal: AbortSignal): Promise<TrainingResult> {
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    this.#answer = { ...createDeferred<TrainingResult>(), step, version };
    const line = { step, version, batch: resolve(file), tasks };
    this.#child.stdin.write(`${JSON.stringify(line)}\n`);
    try {
      return await untilAborted(this.#answer.promise, signal);
    } finally {
      this.#answer = undefined;
    }
  }

  /** Closes the program's standard input. If the signal aborts, the program gets SIGTERM, and later SIGKILL. */
  async end(signal: AbortSignal): Promise<void> {
    this.#complete = true;
    this.#child.stdin.end();
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      this.#group.signal("SIGTERM");
      killing = setTimeout(() => this.#group.kill(), STOP_SECONDS * 1000);
    };
    using _stopping = onAbort(signal, stop);
    const end = await this.#group.ended;
    clearTimeout(killing);
    if (!signal.aborted && !this.#failure && !(end.how === "exit" && end.code === 0)) {
      throw trainerFailed(`${this.#program} ended with ${describeEnd(end)}`);
    }
  }

  /** An answer begins with a brace. Everything else is output for people. */
  #read(line: string | undefined): void {
    if (line !== undefined && !line.trimStart().startsWith("{")) return void process.stderr.write(`${line}\n`);
    const given = this.#answer;
    const result = line === undefined ? undefined : parseAnswer(line);
    const shown = line === undefined ? `a line of more than ${LONGEST_LINE_BYTES} bytes` : shorten(line);
    if (result === undefined) return this.#fail(`expected a line {"version": n}; received ${shown}`);
    if (given === undefined) return this.#fail(`it answered although it had no batch: ${shown}`);
    if (result.step !== undefined && result.step !== given.step)
      return this.#fail(`\`step\` must be ${given.step}, that of the batch, or absent; received ${shown}`);
    const keepsVersion = result.weights !== undefined && result.version === given.version;
    if (result.version < given.version || keepsVersion) {
      const least = keepsVersion ? `above ${given.version}, because it has new weights` : `at least ${given.version}`;
      return this.#fail(`\`version\` must be ${least}; received ${shown}`);
    }
    this.#answer = undefined;
    const { version, weights, metrics } = result;
    given.resolve({ version, weights, ...(metrics !== undefined && { metrics: [metrics] }) });
  }

  #ended(end: ChildEnd): void {
    if (this.#complete && this.#answer === undefined) return;
    const how =
      end.how === "not_started" ? `could not be started: ${describeEnd(end)}` : `ended with ${describeEnd(end)}`;
    this.#fail(`${this.#program} ${how}${end.how === "exit" && end.code === 0 ? " before the last batch" : ""}`);
  }

  /** Only the first failure counts. */
  #fail(why: string): void {
    if (this.#failure) return;
    this.#failure = trainerFailed(why);
    this.#answer?.reject(this.#failure);
    this.#group.kill();
    this.#onFailure(this.#failure);
  }
}

function parseAnswer(line: string): Answer | undefined {
  try {
    return answer.safeParse(parseTrainerLine(line)).data;
  } catch {
    return undefined;
  }
}

function shorten(line: string): string {
  const text = makeInert(line.trim());
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
