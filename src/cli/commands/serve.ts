import { resolve } from "node:path";
import {
  type AdminKey,
  type Config,
  refuseUnused,
  removeKeyFile,
  resolveAdminKey,
  resolveConfig,
  UNUSED_BY_SERVE,
  unusedByStorage,
  writeKeyFile,
} from "../../config/index.js";
import type { RunningServer } from "../../server/start.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import type { ConfigOptions } from "../config-options.js";
import { EXIT_INCOMPLETE } from "../exit.js";
import { stopOnSignal } from "../lifetime.js";
import { createLogger } from "../logger.js";
import { sharedMemoryProblems } from "../preflight/preflight.js";
import { storageProblems } from "../preflight/storage-problems.js";

/** Seconds that a stop may take after the drain, to answer aborted calls and to close connections and the engine. */
const STOP_MARGIN_SECONDS = 10;

/**
 * `rolltape serve`: runs the server until a signal stops it. Prints one JSON line on standard output when it accepts
 * calls, with the problems of its engine and what it cannot do with its model. Logs go to standard error.
 */
export async function serve(overrides: readonly string[], { config: file }: ConfigOptions): Promise<void> {
  const config = resolveConfig({ file, overrides });
  refuseUnused(overrides, [...UNUSED_BY_SERVE, ...unusedByStorage(config)]);
  const admin = resolveAdminKey(config, process.env);
  const logger = createLogger(config);
  for (const { key, message } of storageProblems(config, { file, overrides }))
    logger.warn({ key }, `${key} ${message}`);
  let running: RunningServer | undefined;
  stopOnSignal(config.server.shutdown_seconds + STOP_MARGIN_SECONDS, logger, async () => {
    const report = await running?.close();
    if (running && admin.file !== undefined) removeKeyFile(admin.file, admin.key);
    return report?.complete === false ? EXIT_INCOMPLETE : 0;
  });
  // A rollout job starts this process with an IPC channel. When the job dies, the channel closes, and the server stops.
  const stopSelf = () => process.kill(process.pid, "SIGTERM");
  if (process.connected === false) stopSelf();
  else process.once("disconnect", stopSelf);
  const folders = await sharedMemoryProblems(config);
  // Imported late, because it loads the native addon, which is not needed to report an invalid configuration.
  const { startServer } = await import("../../server/start.js");
  running = await startServer(config, { adminKey: admin.key, logger });
  await publishKey(admin, running);
  const { problems, warnings } = await running.readiness();
  const notReady = [...problems, ...folders];
  for (const problem of notReady) logger.warn(problem, "not ready");
  // The servers of warnings serve calls, as far as is known.
  for (const { key, message } of warnings) logger.warn({ key }, message);
  const served = {
    ...describeServer(config, admin, running),
    ...(notReady.length > 0 ? { not_ready: notReady } : {}),
    ...(running.warnings.length > 0 ? { warnings: running.warnings } : {}),
  };
  printReadyLine(served);
  logger.info(served, "ready");
}

/**
 * Writes the key file after the server listens, so that a server that cannot listen does not replace another's file.
 */
async function publishKey({ file, key }: AdminKey, server: RunningServer): Promise<void> {
  if (file === undefined) return;
  try {
    writeKeyFile(file, key);
  } catch (error) {
    await server.close();
    throw error;
  }
}

function describeServer(
  { engine }: Config,
  { file }: AdminKey,
  { url, probeUrl, model, modelPath, families }: RunningServer,
) {
  const keyFile = file === undefined ? {} : { admin_key_file: resolve(file) };
  const parsers = { tool_call_parser: families.tools, reasoning_parser: families.reasoning };
  const probes = probeUrl === undefined ? {} : { probe_url: probeUrl };
  return { url, ...probes, engine: engine.type, model, model_path: modelPath, ...parsers, ...keyFile };
}
