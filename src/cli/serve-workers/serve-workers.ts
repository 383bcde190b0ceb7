import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Logger } from "pino";
import {
  type AdminKey,
  type Config,
  readProbeSettings,
  removeKeyFile,
  type Starter,
  writeKeyFile,
} from "../../config/index.js";
import { type RunningGateway, startGateway } from "../../gateway/start.js";
import type { CutAnswer } from "../../http/connections/http-answer.js";
import { ProbePort } from "../../http/probes/probe-port.js";
import type { ChildEnd } from "../../support/processes/child-end.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import { describeAddress } from "../describe-address.js";
import { EXIT_FAILURE, EXIT_INCOMPLETE } from "../exit.js";
import { stopOnSignal } from "../lifetime.js";
import { divideBudgets, type WorkerBudgets } from "./divide-budgets.js";
import type { WorkerReadyLine } from "./proxy-worker-process.js";
import { WorkerFleet } from "./worker-fleet.js";
import { refuseOtherSessions } from "./worker-folders.js";

/** Seconds that a stop may take after the drain. A worker takes at most 10, and then the gateway sends its last answers. */
const STOP_MARGIN_SECONDS = 20;
/** Time in which the gateway may send the last answers of the workers. */
const LAST_ANSWERS_MS = 5_000;

export interface ServeWorkersOptions {
  readonly count: number;
  readonly config: Config;
  /** File and `key=value` arguments of the command. */
  readonly file: string | undefined;
  readonly overrides: readonly string[];
  readonly startedBy: Starter | undefined;
  readonly admin: AdminKey;
  readonly logger: Logger;
}

/**
 * Runs several servers behind a gateway in this process, until a signal stops them.
 *
 * 1. Open the port for probes.
 * 2. Start the workers, each with its part of the budgets and a storage folder of its own.
 * 3. Start the gateway, which finds them in a folder, at the address of the configuration.
 * 4. Print the ready line.
 *
 * A stop drains the workers first. Meanwhile the gateway forwards calls, so that ended sessions can be exported.
 */
export async function serveWorkers(options: ServeWorkersOptions): Promise<void> {
  const { count, config, admin, logger } = options;
  refuseOtherSessions(config, count);
  const budgets = divideBudgets(config, count);
  const { workers: setting } = config.server;
  const facts = { workers: count, setting, cores: availableParallelism(), budgets: budgets.keys };
  logger.info({ ...facts, nodeArguments: budgets.nodeArguments }, "starting workers, each with these budgets");
  // Before the workers, whose start may take minutes: an orchestrator asks meanwhile.
  const probes = await ProbePort.open({ ...readProbeSettings(config), logger });
  let gateway: RunningGateway | undefined;
  const stopping = { begun: false, allFailed: false };
  const folder = openFolder(config);
  const fleet = new WorkerFleet({
    ...options,
    budgets,
    adminKey: admin.key,
    folder,
    onAllFailed: () => {
      logger.fatal("no worker is left: each died too often and is not restarted");
      stopping.allFailed = true;
      process.kill(process.pid, "SIGTERM");
    },
  });
  const stop = async (): Promise<number> => {
    stopping.begun = true;
    const deadline = Date.now() + config.server.shutdown_seconds * 1000;
    await gateway?.announceStop();
    const ends = await fleet.stop();
    const lastAnswers = Math.max(deadline, Date.now()) + LAST_ANSWERS_MS;
    const cut = (await gateway?.close({ deadline: lastAnswers, workersEnded: true })) ?? [];
    if (!gateway) await probes?.close();
    if (gateway && admin.file !== undefined) removeKeyFile(admin.file, admin.key);
    return stopping.allFailed ? EXIT_FAILURE : chooseStatus(ends, cut);
  };
  stopOnSignal(config.server.shutdown_seconds + STOP_MARGIN_SECONDS, logger, stop);
  try {
    await fleet.start();
    gateway = await startGateway(toGatewayConfig(config, folder, budgets), {
      adminKey: admin.key,
      logger,
      processes: () => fleet.states,
      probes,
    });
    if (admin.file !== undefined) writeKeyFile(admin.file, admin.key);
  } catch (error) {
    // After a signal, workers cannot start. The signal's handler ends the process.
    if (stopping.begun) return;
    await stop();
    throw error;
  }
  warnOfUnreached(fleet, gateway, logger);
  const keyFile = admin.file === undefined ? {} : { admin_key_file: resolve(admin.file) };
  const served = { ...describeAddress(config, gateway), ...describeWorkers(fleet.ready), ...keyFile };
  printReadyLine(served);
  logger.info(served, "ready");
}

/** Warns of workers that the gateway does not reach, because their name cannot be resolved on this machine, for example. */
function warnOfUnreached(fleet: WorkerFleet, gateway: RunningGateway, logger: Logger): void {
  for (const { name, worker_tag, url } of fleet.ready) {
    if (gateway.workers.includes(worker_tag)) continue;
    const advice = "Set server.advertised_host to a name or an address of this machine that agents can reach too.";
    logger.warn(
      { worker: name, url },
      `the gateway does not reach a worker at the address that it registered. ${advice}`,
    );
  }
}

/** Returns the folder in which the workers register: that of the configuration, or one that lasts as long as this process. */
function openFolder({ server }: Config): string {
  if (server.workers_folder !== null) return server.workers_folder;
  const folder = mkdtempSync(join(tmpdir(), "rolltape-workers-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function toGatewayConfig(config: Config, folder: string, budgets: WorkerBudgets): Config {
  const gateway = {
    ...config.gateway,
    workers: [],
    workers_folder: folder,
    discover: null,
    direct: config.gateway.direct ?? true,
    // Without storage, a worker that is restarted has a new tag: the sessions of the former one are lost.
    ...(config.storage.directory === null ? { worker_return_seconds: 0 } : {}),
  };
  const server = { ...config.server, body_bytes_in_flight: budgets.keys["server.body_bytes_in_flight"] };
  return { ...config, gateway, server };
}

/** Returns the exit status of a stop: that of a single server if all workers were one. */
function chooseStatus(ends: readonly ChildEnd[], cut: readonly CutAnswer[]): number {
  const statuses = ends.map((end) => (end.how === "exit" ? end.code : EXIT_FAILURE));
  if (statuses.some((status) => status !== 0 && status !== EXIT_INCOMPLETE)) return EXIT_FAILURE;
  return cut.length > 0 || statuses.includes(EXIT_INCOMPLETE) ? EXIT_INCOMPLETE : 0;
}

type NamedReadyLine = WorkerReadyLine & { readonly name: string };

/**
 * Returns the fields of the ready line that describe the workers: those of a single server, which are the same for all, and the
 * workers themselves. Problems and warnings that several workers have are listed once.
 */
export function describeWorkers(lines: readonly NamedReadyLine[]): Record<string, unknown> {
  const [first] = lines;
  const { engine, model, model_path, tool_call_parser, reasoning_parser, ...rest }: Partial<NamedReadyLine> =
    first ?? {};
  const { chat_template_type, chat_template_type_chosen_by, images } = rest;
  const workers = lines.map(({ name, worker_tag: tag, url, pid }) => ({ name, tag, url, pid }));
  return {
    engine,
    model,
    model_path,
    tool_call_parser,
    reasoning_parser,
    chat_template_type,
    chat_template_type_chosen_by,
    images,
    workers,
    ...listOnce("not_ready", lines),
    ...listOnce("warnings", lines),
  };
}

function listOnce(field: "not_ready" | "warnings", lines: readonly NamedReadyLine[]): Record<string, unknown> {
  const all = lines.flatMap((line) => line[field] ?? []);
  const unique = new Map(all.map((each) => [`${each.key} ${each.message}`, each]));
  return unique.size > 0 ? { [field]: [...unique.values()] } : {};
}
