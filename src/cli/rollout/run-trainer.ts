import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { onAbort } from "../../support/async/on-abort.js";
import { describeEnd } from "../../support/processes/child-end.js";
import { ChildGroup } from "../../support/processes/child-group.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { RolloutJobError } from "./errors.js";

export interface TrainingStep {
  /** The batch, a safetensors file. */
  readonly file: string;
  /** The weight version after the program has ended. */
  readonly version: number;
}

/**
 * Runs a program that trains on one batch and loads the new weights into the engine before it ends.
 *
 * The file is its last argument and in ROLLTAPE_BATCH. The version is in ROLLTAPE_VERSION. Its output is forwarded to
 * this process's standard error.
 *
 * @throws RolloutJobError `trainer_failed`, or the signal's reason if the signal aborts
 */
export async function runTrainer(
  [program, ...args]: readonly [string, ...string[]],
  { file, version }: TrainingStep,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const batch = resolve(file);
  const env = { ...process.env, ROLLTAPE_BATCH: batch, ROLLTAPE_VERSION: String(version) };
  const child = spawn(program, [...args, batch], { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
  // Its own group, so that Ctrl-C reaches only the job, which ends the program itself.
  const group = new ChildGroup(child);
  // Forwarded instead of inherited, because it would overwrite the progress bar.
  forwardLines(child.stdout);
  forwardLines(child.stderr);
  using _killing = onAbort(signal, () => group.kill());
  const end = await group.ended;
  if (end.how === "not_started") throw trainerFailed(`${program} could not be started: ${describeEnd(end)}`);
  signal.throwIfAborted();
  if (end.how !== "exit" || end.code !== 0) throw trainerFailed(`${program} ended with ${describeEnd(end)}`);
}

function trainerFailed(why: string): RolloutJobError {
  return new RolloutJobError("trainer_failed", `the trainer failed: ${why}`);
}
