import { execFile } from "node:child_process";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isIPv4, isIPv6 } from "node:net";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Logger } from "pino";
import { GATEWAY, refuseUnused, resolveConfig } from "../../config/index.js";
import { writeEnvoyConfig } from "../../gateway/front/envoy-config.js";
import type { FrontSettings, FrontWorker } from "../../gateway/front/front-settings.js";
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
  readonly watch?: boolean;
}

export interface HaproxyConfigOptions extends ProxyConfigOptions {
  /** The file. Default: standard output. */
  readonly out?: string;
  /** Shell command. */
  readonly reload?: string;
}

export interface EnvoyConfigOptions extends ProxyConfigOptions {
  /** The folder of the files. */
  readonly out: string;
}

/** Texts of a configuration's files by their paths, in the order in which they are written. */
type Files = ReadonlyMap<string, string>;

const POLL_MS = 1000;
const STOP_SECONDS = 5;

/**
 * `rolltape proxy-config haproxy`: writes a configuration of HAProxy for the workers of a gateway's configuration. With `--watch`, writes it
 * again when workers come, go or move, until a signal stops it.
 */
export async function haproxyConfig(overrides: readonly string[], options: HaproxyConfigOptions): Promise<void> {
  const { out, watch: isWatching, reload } = options;
  if (isWatching && out === undefined) throw invalid("--watch needs --out, the file to write.");
  if (reload !== undefined && !isWatching) throw invalid("--reload needs --watch.");
  const writeFiles = (settings: FrontSettings) => new Map([[out ?? "", writeHaproxyConfig(settings)]]);
  await proxyConfig(overrides, options, writeFiles);
}

/**
 * `rolltape proxy-config envoy`: writes a configuration of Envoy into a folder. With `--watch`, replaces the file with the workers when they
 * come, go or move, until a signal stops it. Envoy then loads it by itself.
 */
export async function envoyConfig(overrides: readonly string[], options: EnvoyConfigOptions): Promise<void> {
  const { listen } = options;
  if (!isListenAddress(listen)) {
    throw invalid(`--listen must be an IP address and a port, such as 127.0.0.1:8080 or *:8080; received ${listen}.`);
  }
  const folder = resolve(options.out);
  await mkdir(folder, { recursive: true });
  await proxyConfig(overrides, options, (settings) => writeEnvoyConfig(settings, folder));
}

async function proxyConfig(
  overrides: readonly string[],
  options: HaproxyConfigOptions,
  writeFiles: (settings: FrontSettings) => Files,
): Promise<void> {
  const gateways = readGateways(options.gateway);
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
    return writeFiles({ listen: options.listen, gateways, workers: listWorkers(pool), unreachableMilliseconds });
  };
  try {
    const files = await write();
    if (pool.unidentified > 0) {
      logger.warn(
        `${countNoun(pool.unidentified, "worker")} did not answer. Calls for their sessions go to the gateway.`,
      );
    }
    if (options.out === undefined) {
      process.stdout.write([...files.values()].join(""));
      return;
    }
    // Of an earlier command: the proxy may run with it.
    const loaded = options.watch ? await readFormer(files) : files;
    await replaceFiles(files);
    if (options.watch) await watch(loaded, { write, close, logger, out: options.out, reload: options.reload });
  } finally {
    await close();
  }
}

/** @throws ProxyConfigError if one is no http URL */
function readGateways(urls: readonly string[]): string[] {
  return urls.map((url) => {
    const address = toAddress(url);
    if (address !== undefined) return address;
    throw invalid(`--gateway must be an http URL, such as http://127.0.0.1:8090; received ${url}.`);
  });
}

function isListenAddress(text: string): boolean {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(text) ?? [];
  const isHost = host === "*" || isIPv4(host) || (/^\[.*\]$/.test(host) && isIPv6(host.slice(1, -1)));
  return isHost && Number(port) >= 1 && Number(port) <= 65_535;
}

/** Returns the workers that the proxy can reach, in a fixed order. A health report may have any text as its tag. */
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

/** Returns the texts that the files have now. A file that does not exist has the text that it will get. */
async function readFormer(files: Files): Promise<Files> {
  const read = async ([path, text]: readonly [string, string]) =>
    [path, await readFile(path, "utf8").catch(() => text)] as const;
  return new Map(await Promise.all([...files].map(read)));
}

interface Watch {
  readonly write: () => Promise<Files>;
  readonly close: () => Promise<void>;
  readonly logger: Logger;
  readonly out: string;
  readonly reload: string | undefined;
}

async function watch(loaded: Files, { write, close, logger, out, reload }: Watch): Promise<never> {
  stopOnSignal(STOP_SECONDS, logger, async () => {
    await close();
    return 0;
  });
  logger.info({ out }, "watching the workers");
  // A write or reload that failed is tried again.
  let current = loaded;
  for (;;) {
    await sleep(POLL_MS);
    const files = await write();
    const changed = new Map([...files].filter(([path, text]) => current.get(path) !== text));
    if (changed.size === 0) continue;
    try {
      await replaceFiles(changed);
      if (reload !== undefined) await runShell(reload);
      current = files;
      logger.info({ out }, "the workers have changed; wrote the configuration");
    } catch (err) {
      logger.error({ err, out, reload }, "the configuration could not be written or loaded");
    }
  }
}

const runShell = async (command: string) => promisify(execFile)("/bin/sh", ["-c", command]);

/** The proxy may read a file at any time. Envoy notices only files that are moved to their place. */
async function replaceFiles(files: Files): Promise<void> {
  for (const [path, text] of files) {
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, text);
    await rename(temporary, path);
  }
}

function invalid(message: string): ProxyConfigError {
  return new ProxyConfigError("invalid_arguments", message);
}
