import { execFile } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { GATEWAY, refuseUnused, resolveConfig } from "../../config/index.js";
import type { FrontWorker } from "../../gateway/front/front-settings.js";
import { writeHaproxyConfig } from "../../gateway/front/haproxy-config.js";
import { openWorkerPool, toMilliseconds } from "../../gateway/open-worker-pool.js";
import { WorkerConnections } from "../../gateway/worker-connections.js";
import type { WorkerPool } from "../../gateway/worker-pool.js";
import { WORKER_TAG } from "../../session/worker-tag.js";
import type { ConfigOptions } from "../config-options.js";
import { countNoun } from "../count-noun.js";
import { stopOnSignal } from "../lifetime.js";
import { createLogger } from "../logger.js";
import { ProxyConfigError } from "../proxy-config/errors.js";

/** Options of `rolltape proxy-config`. */
export interface ProxyConfigOptions extends ConfigOptions {
  readonly listen: string;
  /** URLs of the gateways. */
  readonly gateway: readonly string[];
  readonly out?: string;
  readonly watch?: boolean;
  /** Shell command. */
  readonly reload?: string;
}

const POLL_MS = 1000;
const STOP_SECONDS = 5;

/**
 * `rolltape proxy-config haproxy`: writes a configuration of HAProxy for the workers of a gateway's configuration. With `--watch`, writes it
 * again when workers come, go or move, until a signal stops it.
 */
export async function proxyConfig(overrides: readonly string[], options: ProxyConfigOptions): Promise<void> {
  const front = readFront(options);
  const config = resolveConfig({ file: options.config, overrides });
  refuseUnused(overrides, GATEWAY);
  const logger = createLogger(config);
  const upstream = new WorkerConnections();
  const pool = openWorkerPool(config, upstream, (problem) => logger.error(problem));
  const close = async () => {
    pool.close();
    await upstream.close();
  };
  const write = async () => {
    await pool.refresh();
    const unreachableMilliseconds = toMilliseconds(config.gateway.unreachable_seconds);
    return writeHaproxyConfig({ ...front, workers: listWorkers(pool), unreachableMilliseconds });
  };
  try {
    const text = await write();
    if (pool.unidentified > 0) {
      logger.warn(
        `${countNoun(pool.unidentified, "worker")} did not answer. Calls for their sessions go to the gateway.`,
      );
    }
    if (options.out === undefined) process.stdout.write(text);
    // Of an earlier command: HAProxy may run with it.
    const former = options.watch && options.out !== undefined ? readFile(options.out, "utf8") : undefined;
    const loaded = (await former?.catch(() => undefined)) ?? text;
    if (options.out !== undefined) await replaceFile(options.out, text);
    if (options.watch) await watch(loaded, { write, close, logger, ...options });
  } finally {
    await close();
  }
}

/** @throws ProxyConfigError if the options contradict each other, or a `--gateway` is no http URL */
function readFront({ listen, gateway: urls, out, watch: isWatching, reload }: ProxyConfigOptions) {
  if (isWatching && out === undefined) throw invalid("--watch needs --out, the file to write.");
  if (reload !== undefined && !isWatching) throw invalid("--reload needs --watch.");
  const gateways = urls.map((url) => {
    const address = toAddress(url);
    if (address !== undefined) return address;
    throw invalid(`--gateway must be an http URL, such as http://127.0.0.1:8090; received ${url}.`);
  });
  return { listen, gateways };
}

/** Returns the workers that HAProxy can reach, in a fixed order. A health report may have any text as its tag. */
function listWorkers(pool: WorkerPool): FrontWorker[] {
  return pool
    .all()
    .flatMap(({ tag, url }) => {
      const address = toAddress(url);
      return address !== undefined && WORKER_TAG.test(tag) ? [{ tag, address }] : [];
    })
    .sort((a, b) => (a.tag < b.tag ? -1 : 1));
}

/** Returns host and port of an http URL. */
function toAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url?.protocol === "http:" ? `${url.hostname}:${url.port === "" ? 80 : url.port}` : undefined;
}

interface Watch {
  readonly write: () => Promise<string>;
  readonly close: () => Promise<void>;
  readonly logger: Logger;
  readonly out?: string;
  readonly reload?: string;
}

async function watch(loaded: string, { write, close, logger, out = "", reload }: Watch): Promise<never> {
  stopOnSignal(STOP_SECONDS, logger, async () => {
    await close();
    return 0;
  });
  logger.info({ out }, "watching the workers");
  // A write or reload that failed is tried again.
  let current = loaded;
  for (;;) {
    await sleep(POLL_MS);
    const text = await write();
    if (text === current) continue;
    try {
      await replaceFile(out, text);
      if (reload !== undefined) await runShell(reload);
      current = text;
      logger.info({ out }, "the workers have changed; wrote the configuration");
    } catch (err) {
      logger.error({ err, out, reload }, "the configuration could not be written or loaded");
    }
  }
}

const runShell = async (command: string) => promisify(execFile)("/bin/sh", ["-c", command]);

/** HAProxy may read the file at any time. */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, text);
  await rename(temporary, path);
}

function invalid(message: string): ProxyConfigError {
  return new ProxyConfigError("invalid_arguments", message);
}
