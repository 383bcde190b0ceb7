import { resolve } from "node:path";
import {
  type AdminKey,
  type Config,
  findChooser,
  refuseUnused,
  refuseUnusedStorage,
  removeKeyFile,
  resolveAdminKey,
  resolveConfig,
  serveCommand,
  writeKeyFile,
} from "../../config/index.js";
import type { RunningServer } from "../../server/start.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import type { ServeOptions } from "../config-options.js";
import { describeAddress } from "../describe-address.js";
import { EXIT_INCOMPLETE } from "../exit.js";
import { stopOnSignal, stopWithStarter } from "../lifetime.js";
import { createLogger } from "../logger.js";
import { sharedMemoryProblems } from "../preflight/preflight.js";
import { storageProblems } from "../preflight/storage-problems.js";
import { countWorkers } from "../serve-workers/count-workers.js";
import type { ServeWorkersOptions } from "../serve-workers/serve-workers.js";
import { describeUnusedWorkers } from "../serve-workers/worker-folders.js";

/** Seconds that a stop may take after the drain, to answer aborted calls and to close connections and the engine. */
const STOP_MARGIN_SECONDS = 10;

/**
 * `rolltape serve`: runs the server, or several of them (`server.workers`), until a signal stops it. Prints one JSON line on
 * standard output when it accepts calls, with the problems of its engine and what it cannot do with its model. Logs go to
 * standard error.
 */
export async function serve(overrides: readonly string[], options: ServeOptions): Promise<void> {
  const { config: file } = options;
  const config = resolveConfig({ file, overrides });
  refuseUnused(overrides, serveCommand(config, { file, overrides }));
  refuseUnusedStorage(config, { file, overrides });
  if (options.startedBy === "python") stopWithStarter();
  const startedBy = findChooser(options.startedBy, { file, overrides });
  const admin = resolveAdminKey(config, process.env);
  const logger = createLogger(config);
  for (const { key, message } of storageProblems(config, { file, overrides }))
    logger.warn({ key }, `${key} ${message}`);
  const count = countWorkers(config);
  if (count > 1) return serveSeveral({ count, config, file, overrides, startedBy, admin, logger });
  const unused = describeUnusedWorkers(config);
  if (unused !== undefined) logger.warn({ key: "storage.directory" }, `storage.directory ${unused}`);
  let running: RunningServer | undefined;
  stopOnSignal(config.server.shutdown_seconds + STOP_MARGIN_SECONDS, logger, async () => {
    const report = await running?.close();
    if (running && admin.file !== undefined) removeKeyFile(admin.file, admin.key);
    return report?.complete === false ? EXIT_INCOMPLETE : 0;
  });
  const folders = await sharedMemoryProblems(config);
  // Imported late, because it loads the native addon, which is not needed to report an invalid configuration.
  const { startServer } = await import("../../server/start.js");
  running = await startServer(config, { adminKey: admin.key, logger, startedBy });
  await publishKey(admin, running);
  const { problems, warnings } = await running.readiness();
  const notReady = [...problems, ...folders];
  for (const problem of notReady) logger.warn(problem, "not ready");
  // The servers of warnings serve calls, as far as is known. Those of the model were logged by the server.
  for (const { key, message } of warnings) logger.warn({ key }, message);
  const listed = [...running.warnings, ...warnings];
  const served = {
    ...describeServer(config, admin, running),
    ...(notReady.length > 0 ? { not_ready: notReady } : {}),
    ...(listed.length > 0 ? { warnings: listed } : {}),
  };
  printReadyLine(served);
  logger.info(served, "ready");
}

async function serveSeveral(options: ServeWorkersOptions): Promise<void> {
  // Imported late, like the server: most servers have one process.
  const { serveWorkers } = await import("../serve-workers/serve-workers.js");
  await serveWorkers(options);
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

function describeServer(config: Config, { file }: AdminKey, running: RunningServer) {
  const { engine, server } = config;
  const { workerTag, model, modelPath, families, templateType, images } = running;
  const keyFile = file === undefined ? {} : { admin_key_file: resolve(file) };
  const parsers = { tool_call_parser: families.tools, reasoning_parser: families.reasoning };
  // Only gateways use the tag.
  const tag = server.workers_folder === null ? {} : { worker_tag: workerTag };
  return {
    ...describeAddress(config, running),
    engine: engine.type,
    model,
    model_path: modelPath,
    ...parsers,
    chat_template_type: templateType.value,
    ...(templateType.chosenBy === undefined ? {} : { chat_template_type_chosen_by: templateType.chosenBy }),
    images,
    ...tag,
    ...keyFile,
  };
}
