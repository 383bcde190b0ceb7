import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Config, ConfigError } from "../config/index.js";
import type { EngineReadiness, NotReady } from "../server/readiness.js";
import { makeFolder } from "./make-folder.js";
import { RolloutJobError } from "./rollout-error.js";
import { requireUsable } from "./usable-folder.js";

const SHARED_MEMORY = "rollout.agent.shared_memory_directory";
/** The key's default, which is not on every machine; most jobs export over HTTP. */
const DEFAULT_SHARED_MEMORY = "/dev/shm";

/**
 * Returns what is wrong with the folder for batches in shared memory, if anything is.
 *
 * @throws ConfigError if the configuration names a folder of its own that is not usable
 */
export async function sharedMemoryProblems({ rollout: { agent } }: Config): Promise<NotReady[]> {
  const folder = agent.shared_memory_directory;
  try {
    await requireUsable(folder);
    return [];
  } catch (error) {
    const message = `no file can be made in ${folder}: ${textOf(error)}`;
    if (folder === DEFAULT_SHARED_MEMORY) return [{ key: SHARED_MEMORY, message }];
    throw new ConfigError("config_invalid", [{ path: SHARED_MEMORY, message }], { cause: error });
  }
}

/**
 * Resolves if a batch can be written as `out`; makes its folder.
 *
 * @throws RolloutJobError `invalid_arguments`: what cannot be written at the end of a job is lost
 */
export async function requireWritable(out: string): Promise<void> {
  const folder = dirname(out);
  try {
    await makeFolder(folder);
    await requireUsable(folder);
  } catch (error) {
    throw new RolloutJobError("invalid_arguments", `--out ${out} cannot be written: ${textOf(error)}`);
  }
  const there = await stat(out).catch(() => undefined);
  if (there?.isDirectory()) throw new RolloutJobError("invalid_arguments", `--out ${out} is a folder; give a file`);
}

/**
 * Resolves if at least one server of the engine can serve calls; says what is wrong with the others.
 *
 * @throws RolloutJobError `engine_not_ready`
 * @throws ConfigError if the servers do not have the model that the configuration names
 */
export async function requireEngine(config: Config): Promise<void> {
  // Loaded here, with the native addon: wrong arguments are reported without it.
  const { configuredReadiness } = await import("../server/readiness.js");
  const readiness = await configuredReadiness(config);
  if (readiness.none) throw notReady(readiness);
  for (const problem of readiness.problems) process.stderr.write(`rolltape: warning: ${describe(problem)}\n`);
}

function notReady({ problems }: EngineReadiness): Error {
  const ofModel = problems.filter(({ key }) => key !== "engine.urls");
  if (ofModel.length === problems.length) {
    return new ConfigError(
      "config_invalid",
      ofModel.map(({ key: path, message }) => ({ path, message })),
    );
  }
  const lines = problems.map((problem) => `\n  ${describe(problem)}`).join("");
  return new RolloutJobError("engine_not_ready", `the engine is not ready, so no task was begun:${lines}`);
}

function describe({ key, message }: NotReady): string {
  return `${key}: ${message}`;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
