import { basename, resolve } from "node:path";
import { destination, type Logger, pino } from "pino";
import {
  type AdminKey,
  adminKey,
  type Config,
  removeKeyFile,
  requireServedEngine,
  resolveConfig,
  writeKeyFile,
} from "../config/index.js";
import { startServer } from "../server/start.js";
import { stopOnSignal } from "./lifetime.js";
import type { ConfigOptions } from "./options.js";

/** Time that a stop may take beyond the drain itself, in seconds. */
const STOP_MARGIN_SECONDS = 5;

type RunningServer = Awaited<ReturnType<typeof startServer>>;

/**
 * `rolltape serve`: runs the server until a signal stops it. Prints one JSON line on standard output when it accepts
 * calls; logs go to standard error.
 */
export async function serve(overrides: readonly string[], { config: file }: ConfigOptions): Promise<void> {
  const config = resolveConfig({ file, overrides });
  requireServedEngine(config);
  const admin = adminKey(config, process.env);
  // Synchronous, so that the last lines of a process that ends are written.
  const logger = pino({ level: config.server.log_level }, destination({ fd: 2, sync: true }));
  let running: RunningServer | undefined;
  stopOnSignal(config.server.shutdown_seconds + STOP_MARGIN_SECONDS, logger, async () => {
    await running?.close();
    if (running && admin.file !== undefined) removeKeyFile(admin.file, admin.key);
  });
  running = await startServer(config, { adminKey: admin.key, logger });
  await publishKey(admin, running);
  printReady(config, admin, running.url, logger);
}

/** The key file is written once the server listens: one that cannot listen leaves the file of the one that does. */
async function publishKey({ file, key }: AdminKey, server: RunningServer): Promise<void> {
  if (file === undefined) return;
  try {
    writeKeyFile(file, key);
  } catch (error) {
    await server.close();
    throw error;
  }
}

function printReady(config: Config, { file }: AdminKey, url: string, logger: Logger): void {
  const ready = {
    event: "ready",
    url,
    engine: config.engine.type,
    model: modelName(config),
    admin_key_file: file === undefined ? undefined : resolve(file),
    pid: process.pid,
  };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  logger.info({ url, engine: ready.engine, model: ready.model }, "ready");
}

function modelName({ model }: Config): string | undefined {
  return model.name ?? (model.path === null ? undefined : basename(resolve(model.path)));
}
