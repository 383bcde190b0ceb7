import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { type Config, ConfigError } from "../../config/index.js";
import type { EngineReadiness, NotReady } from "../../server/engine-readiness.js";
import { makeFolder } from "../../support/make-folder.js";
import { RolloutJobError } from "../rollout/errors.js";
import { requireReadable, requireUsable } from "./usable-folder.js";

const SHARED_MEMORY = "server.shared_memory_directory";
/** Default of `shared_memory_directory`. Some machines do not have this folder, but only exports to shared memory need it. */
const DEFAULT_SHARED_MEMORY = "/dev/shm";

/**
 * Checks that a file can be created in the folder for batches in shared memory. Returns the problem of the default
 * folder, if it has one.
 *
 * @throws ConfigError if the configuration names another folder and no file can be created in it
 */
export async function sharedMemoryProblems({ server }: Config): Promise<NotReady[]> {
  const folder = server.shared_memory_directory;
  try {
    await requireUsable(folder);
    return [];
  } catch (error) {
    const message = readMessage(error);
    if (folder === DEFAULT_SHARED_MEMORY) return [{ key: SHARED_MEMORY, message }];
    throw new ConfigError("config_invalid", [{ path: SHARED_MEMORY, message }], { cause: error });
  }
}

/**
 * Creates the folder of a file and checks that files can be written there, because a batch that cannot be written at the
 * end of a job is lost.
 *
 * @param option the option that names the file
 * @throws RolloutJobError `invalid_arguments` if not, or if `file` exists and is not a regular file
 */
export async function requireWritable(file: string, option: "--out" | "--sessions" = "--out"): Promise<void> {
  const folder = dirname(file);
  try {
    await makeFolder(folder);
    await requireUsable(folder);
    await requireReadable(folder);
  } catch (error) {
    throw new RolloutJobError("invalid_arguments", `${option} ${file} cannot be written: ${readMessage(error)}`);
  }
  const existing = await stat(file).catch(() => undefined);
  if (existing?.isDirectory())
    throw new RolloutJobError("invalid_arguments", `${option} ${file} must be a file, but is a folder`);
  // Writing renames the new file over it, which would replace a pipe or a device such as /dev/null.
  if (existing && !existing.isFile()) {
    throw new RolloutJobError(
      "invalid_arguments",
      `${option} ${file} must be a regular file, but is a pipe or a device`,
    );
  }
}

/**
 * Checks that at least one engine server can serve calls. Warns of those that cannot, and of healthy ones that are too
 * busy to say whether they have the model.
 *
 * @throws ConfigError if every server lacks the configured model or refuses the configured key
 * @throws RolloutJobError `engine_not_ready` if no server can serve calls for another reason
 */
export async function requireEngine(config: Config): Promise<void> {
  // Imported late, because it loads the native addon, which is not needed to report wrong arguments.
  const { configuredReadiness } = await import("../../server/engine-readiness.js");
  const readiness = await configuredReadiness(config);
  if (readiness.none) throw engineError(readiness);
  for (const problem of [...readiness.problems, ...readiness.warnings])
    process.stderr.write(`rolltape: warning: ${describe(problem)}\n`);
}

function engineError({ problems }: EngineReadiness): Error {
  // A server that does not answer may start later. A wrong model or key stays wrong.
  const mistakes = problems.filter(({ key }) => key !== "engine.urls");
  if (mistakes.length === problems.length) {
    return new ConfigError(
      "config_invalid",
      mistakes.map(({ key: path, message }) => ({ path, message })),
    );
  }
  const lines = problems.map((problem) => `\n  ${describe(problem)}`).join("");
  return new RolloutJobError("engine_not_ready", `the engine is not ready, so no task was started:${lines}`);
}

function describe({ key, message }: NotReady): string {
  return `${key}: ${message}`;
}

function readMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
