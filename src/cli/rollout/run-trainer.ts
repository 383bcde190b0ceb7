import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describeEnd, outputRead } from "../../support/processes/ended.js";
import { forwardLines } from "../../support/processes/forward-lines.js";
import { killGroup, trackGroup } from "../../support/processes/process-group.js";
import { RolloutJobError } from "./errors.js";

export interface TrainingStep {
  /** The batch, a safetensors file. */
  readonly file: string;
  /** The weight version that there is when the program has ended. */
  readonly version: number;
}

/**
 * Runs a program that trains on one batch and brings the new weights to the engine before it ends. It finds the file as its
 * last argument and in ROLLTAPE_BATCH, the version in ROLLTAPE_VERSION. What it prints goes to this process's standard error.
 *
 * @throws RolloutJobError `trainer_failed`; the signal's reason where that ended it
 */
export async function runTrainer(
  [program, ...args]: readonly [string, ...string[]],
  { file, version }: TrainingStep,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const batch = resolve(file);
  const env = { ...process.env, ROLLTAPE_BATCH: batch, ROLLTAPE_VERSION: String(version) };
  // A group of its own: Ctrl-C is for the job, which ends the program itself.
  const child = spawn(program, [...args, batch], { stdio: ["ignore", "pipe", "pipe"], env, detached: true });
  // Not inherited: it would be written over the progress bar.
  forwardLines(child.stdout);
  forwardLines(child.stderr);
  const { pid } = child;
  if (pid !== undefined) trackGroup(pid);
  const kill = () => void (pid !== undefined && killGroup(pid));
  signal.addEventListener("abort", kill, { once: true });
  try {
    const how = await new Promise<string>((ended, failed) => {
      child.once("error", (error) => failed(trainerFailed(`${program} could not be started: ${error.message}`)));
      child.once("exit", (code, name) => ended(outputRead(child).then(() => describeEnd(code, name))));
    });
    signal.throwIfAborted();
    if (how !== "status 0") throw trainerFailed(`${program} ended with ${how}`);
  } finally {
    signal.removeEventListener("abort", kill);
    kill();
  }
}

function trainerFailed(why: string): RolloutJobError {
  return new RolloutJobError("trainer_failed", `the trainer failed: ${why}`);
}
