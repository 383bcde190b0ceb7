import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DestinationStream, Logger } from "pino";
import {
  type AdminKey,
  type Config,
  findChooser,
  resolveAdminKey,
  SERVE,
  type Starter,
  withoutUnused,
} from "../../config/index.js";
import type { GatewayStartOptions, RunningGateway } from "../../gateway/start.js";
import { createLogger } from "../logger.js";
import { requireProxy } from "../preflight/proxy-preflight.js";
import { RolloutJobError } from "./errors.js";
import { JobProcess } from "./job-process.js";
import type { JobProxy } from "./job-proxy.js";

import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";

/** The job starts its proxies for a user. */
const STARTER = "rollout";

export interface JobProxySettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  /** `key=value` arguments of the job, which are passed on to its proxies. */
  readonly overrides: readonly string[];
  readonly screen: RolloutScreen;
}

/** Opens the proxy of a job: a running one, one in this process, or several in separate processes behind a gateway. */
export async function openProxy({ config, options, overrides, screen }: JobProxySettings): Promise<JobProxy> {
  const admin = resolveAdminKey(config, process.env);
  // Created even if no proxy runs in this process, because it also logs Node's own warnings.
  const logger = createLogger(config, screen.log);
  if (options.proxy !== undefined) return await connectRunning(options.proxy, admin);
  const workers = options.proxyWorkers ?? 1;
  if (workers === 1) {
    const startedBy = findChooser(STARTER, { file: options.config, overrides });
    return startOne(config, { key: admin.key, logger, startedBy, screen });
  }
  const file = options.config === undefined ? [] : ["--config", options.config];
  return startSeveral(workers, {
    config,
    logger,
    logs: screen.log,
    key: admin.key,
    args: [...withoutUnused(overrides, SERVE), ...file],
  });
}

async function connectRunning(url: string, { key, file }: AdminKey): Promise<JobProxy> {
  if (file !== undefined) {
    const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
    throw new RolloutJobError("invalid_arguments", `--proxy requires the admin key of that proxy in ${where}`);
  }
  await requireProxy({ url, adminKey: key });
  return { url, adminKey: key, [Symbol.asyncDispose]: () => Promise.resolve() };
}

interface OneSettings {
  readonly key: string;
  readonly logger: Logger;
  readonly startedBy: Starter | undefined;
  readonly screen: RolloutScreen;
}

async function startOne(config: Config, { key, logger, startedBy, screen }: OneSettings): Promise<JobProxy> {
  // Imported late, because it loads the native addon, which is not needed to report wrong arguments.
  const { startServer } = await import("../../server/start.js");
  const { describeTemplateType } = await import("../../server/template-type.js");
  const server = await startServer(config, { adminKey: key, logger, startedBy });
  const choice = describeTemplateType(server.templateType);
  if (choice !== undefined) screen.line(`rolltape: ${choice}`);
  for (const { key: at, message } of (await server.readiness()).warnings) logger.warn({ key: at }, message);
  return { url: server.url, adminKey: key, [Symbol.asyncDispose]: async () => void (await server.close()) };
}

interface WorkersSettings {
  readonly config: Config;
  readonly logger: Logger;
  /** Destination of the workers' logs. */
  readonly logs: DestinationStream;
  readonly key: string;
  /** Arguments of each worker. */
  readonly args: readonly string[];
}

/** Starts the workers, then the gateway, which looks for workers before it accepts calls. The gateway stops first. */
async function startSeveral(count: number, { config, logger, logs, key, args }: WorkersSettings): Promise<JobProxy> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-workers-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Host and ports of the configuration are for the gateway.
  const workerKeys = [
    "server.probe_port=null",
    "server.socket=null",
    "server.host=127.0.0.1",
    "server.advertised_host=null",
    "server.worker_tag=auto",
    // A configuration file that `rolltape serve` uses too may set another number.
    "server.workers=1",
  ];
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: key };
  const all = [...args, "--started-by", STARTER, ...workerKeys, `server.workers_folder=${folder}`];
  const cost = config.storage.directory === null ? "its sessions are lost" : "its sessions wait for it";
  const options = { kind: "proxy worker", env, logs, cost, keepsPort: true } as const;
  const workers = Array.from(
    { length: count },
    (_, index) => new JobProcess({ ...options, args: ["serve", ...all, ...storageOf(config, index)] }),
  );
  const stop = async () => void (await Promise.all(workers.map((worker) => worker.stop())));
  try {
    await Promise.all(workers.map((worker) => worker.start()));
    const gateway = await startGatewayFor(folder, config, { adminKey: key, logger });
    const close = async () => {
      await gateway.close();
      await stop();
    };
    return { url: gateway.url, adminKey: key, [Symbol.asyncDispose]: close };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the arguments that give a worker a storage folder of its own, if the job has one. */
function storageOf({ storage: { directory } }: Config, index: number): string[] {
  return directory === null ? [] : [`storage.directory=${join(directory, `worker-${index}`)}`];
}

async function startGatewayFor(folder: string, config: Config, options: GatewayStartOptions): Promise<RunningGateway> {
  const { startGateway } = await import("../../gateway/start.js");
  const gateway = {
    ...config.gateway,
    workers: [],
    workers_folder: folder,
    discover: null,
    // Without storage, a worker that is restarted has a new tag: the sessions of the former one are lost.
    ...(config.storage.directory === null ? { worker_return_seconds: 0 } : {}),
  };
  return startGateway({ ...config, gateway }, options);
}
