import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type EngineName, engineEnvironment } from "../install-engine.js";

/** Folder of the Python programs, for PYTHONPATH. */
export const PUSH_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** Folder of the package `rolltape`, for PYTHONPATH. */
export const PACKAGE_FOLDER = fileURLToPath(new URL("../../../../python/src", import.meta.url));

/** Runs a trainer that pushes the weights of a folder to an engine server. Returns what it prints. */
export async function pushWeights(python: string, program: string, args: readonly string[]): Promise<string> {
  const trainer = spawn(python, [`${PUSH_FOLDER}/${program}`, ...args], {
    env: { ...engineEnvironment(), PYTHONPATH: PACKAGE_FOLDER },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  trainer.stdout.on("data", (piece: Buffer) => (output += piece.toString()));
  trainer.stderr.on("data", (piece: Buffer) => (errors += piece.toString()));
  const [code] = (await once(trainer, "exit")) as [number | null];
  // The manager of torch's shared memory, which the trainer has started, keeps the output open.
  trainer.stdout.destroy();
  trainer.stderr.destroy();
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
  return output;
}

/** A push of `rolltape.weights`. */
export interface Push {
  readonly engine: EngineName;
  readonly backend?: string;
  readonly url: string;
  readonly key: string;
  readonly version: number;
  readonly folder: string;
  readonly bucketBytes?: number;
  /** The trainer fails after so many tensors. */
  readonly failAfter?: number;
  /** The trainer's process ends after so many tensors. */
  readonly endAfter?: number;
  /** Seconds that a step may take. */
  readonly timeout?: number;
}

/** Makes pushes one after the other, in one process. Returns the record or the error message of each. */
export async function pushWithRolltape(python: string, pushes: readonly Push[]): Promise<PushResult[]> {
  const output = await pushWeights(python, "rolltape_trainer.py", [JSON.stringify(pushes)]);
  return output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as PushResult);
}

export interface PushResult {
  readonly record?: unknown;
  readonly error?: string;
}
