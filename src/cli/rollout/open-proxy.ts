import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DestinationStream, Logger } from "pino";
import { type AdminKey, type Config, resolveAdminKey, UNUSED_BY_SERVE, withoutUnused } from "../../config/index.js";
import type { RunningGateway } from "../../gateway/start.js";
import { createLogger } from "../logger.js";
import { requireProxy } from "../preflight/proxy-preflight.js";
import { RolloutJobError } from "./errors.js";
import type { JobProxy } from "./job-proxy.js";
import { ProxyWorker } from "./proxy-worker.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";

export interface JobProxySettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  /** `key=value` arguments of the job, as its proxies are to have them too. */
  readonly overrides: readonly string[];
  readonly screen: RolloutScreen;
}

/** A proxy in this process, or several in processes of their own behind a gateway, or one that runs already. */
export async function openProxy({ config, options, overrides, screen }: JobProxySettings): Promise<JobProxy> {
  const admin = resolveAdminKey(config, process.env);
  // Without a proxy in this process, too: it tells of Node's own warnings.
  const logger = createLogger(config, screen.log);
  if (options.proxy !== undefined) return await runningProxy(options.proxy, admin);
  const workers = options.proxyWorkers ?? 1;
  if (workers === 1) return startOne(config, admin.key, logger);
  const file = options.config === undefined ? [] : ["--config", options.config];
  return startSeveral(workers, {
    config,
    logger,
    logs: screen.log,
    key: admin.key,
    args: [...withoutUnused(overrides, UNUSED_BY_SERVE), ...file],
  });
}

async function runningProxy(url: string, { key, file }: AdminKey): Promise<JobProxy> {
  if (file !== undefined) {
    const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
    throw new RolloutJobError("invalid_arguments", `--proxy needs the admin key of that proxy, in ${where}`);
  }
  await requireProxy({ url, adminKey: key });
  return { url, adminKey: key, [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function startOne(config: Config, key: string, logger: Logger): Promise<JobProxy> {
  // Loaded here, with the native addon: wrong arguments are reported without it.
  const { startServer } = await import("../../server/start.js");
  const server = await startServer(config, { adminKey: key, logger });
  return { url: server.url, adminKey: key, [Symbol.asyncDispose]: () => server.close() };
}

interface Several {
  readonly config: Config;
  readonly logger: Logger;
  /** Logs of the workers. */
  readonly logs: DestinationStream;
  readonly key: string;
  /** Of each worker. */
  readonly args: readonly string[];
}

/** Workers first, since the gateway looks for them once before it takes calls; it stops first, too. */
async function startSeveral(count: number, { config, logger, logs, key, args }: Several): Promise<JobProxy> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-workers-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Host and port of the configuration are the gateway's.
  const own = ["server.port=0", "server.host=127.0.0.1", "server.advertised_host=null", "server.worker_tag=auto"];
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: key };
  const options = { args: [...args, ...own, `server.workers_folder=${folder}`], env, logs };
  const workers = Array.from({ length: count }, () => new ProxyWorker(options));
  const stop = async () => void (await Promise.all(workers.map((worker) => worker.stop())));
  try {
    await Promise.all(workers.map((worker) => worker.start()));
    const gateway = await startGatewayOf(folder, config, logger);
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

async function startGatewayOf(folder: string, config: Config, logger: Logger): Promise<RunningGateway> {
  const { startGateway } = await import("../../gateway/start.js");
  const gateway = { ...config.gateway, workers: [], workers_file: null, workers_folder: folder };
  return startGateway({ ...config, gateway }, { logger });
}
