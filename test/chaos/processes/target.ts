import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { KillableProcess } from "../../helpers/killable-process.js";
import { ADMIN_KEY } from "../../helpers/proxy.js";
import type { Random } from "../../helpers/random.js";

export interface TargetOptions {
  readonly engineUrls: readonly string[];
  /** Folder on a disk that is empty. */
  readonly folder: string;
  readonly durability: string;
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** A server with sessions. */
export interface Worker {
  readonly process: KillableProcess;
  /** Part of its session ids. It is the same after a restart. */
  readonly tag: string;
}

/** Processes that can be killed and started again at the same address. */
export interface Target {
  /** Where agents and trainer send their calls. */
  readonly url: string;
  readonly workers: readonly Worker[];
  /** In the order in which they start. */
  readonly processes: readonly KillableProcess[];
  readonly gateway: KillableProcess | undefined;
}

/** Returns the file with the sessions of a target without a gateway. */
export const storageOf = (folder: string): string => join(folder, "w0");

/** Prepares one server with a storage folder. */
export async function createServerTarget(options: TargetOptions): Promise<Target> {
  const port = await findPort();
  const worker = await createWorker("w0", options, [`server.port=${port}`]);
  return { url: urlOf(port), workers: [worker], processes: [worker.process], gateway: undefined };
}

/** Prepares a gateway and two servers with storage folders. The servers get another port at each start. */
export async function createGatewayTarget(options: TargetOptions): Promise<Target> {
  const workersFolder = join(options.folder, "workers");
  const tags = ["w0", "w1"];
  const extra = ["server.port=0", `server.workers_folder=${workersFolder}`];
  const workers = await Promise.all(tags.map((tag) => createWorker(tag, options, extra)));
  const port = await findPort();
  const args = ["gateway", `server.port=${port}`, "server.log_level=fatal", `gateway.workers_folder=${workersFolder}`];
  const gateway = new KillableProcess("gateway", args, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
  return { url: urlOf(port), workers, processes: [...workers.map(({ process }) => process), gateway], gateway };
}

/** Chooses what is killed: the gateway, a worker, or all. */
export function chooseVictims({ processes, workers, gateway }: Target, random: Random): readonly KillableProcess[] {
  if (!gateway || random.chance(0.2)) return processes;
  return random.chance(0.3) ? [gateway] : [workers[random.integer(0, workers.length - 1)]?.process ?? gateway];
}

async function createWorker(
  tag: string,
  { engineUrls, folder, durability, env = {} }: TargetOptions,
  extra: readonly string[],
): Promise<Worker> {
  const model = await ensureTinyModel();
  const args = [
    "serve",
    `server.worker_tag=${tag}`,
    "server.log_level=error",
    "engine.type=sglang",
    `engine.urls=[${engineUrls.join(",")}]`,
    "engine.max_inflight=256",
    "engine.context_length=1000000",
    // Hanging calls end after this time.
    "engine.timeout_seconds=2",
    `model.path=${model.folder}`,
    "rollout.agent.chat_template_type=concat",
    "rollout.agent.export_retention_seconds=3600",
    `storage.directory=${join(folder, tag)}`,
    `storage.durability=${durability}`,
    ...extra,
  ];
  return { tag, process: new KillableProcess("server", args, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY, ...env }) };
}

const urlOf = (port: number): string => `http://127.0.0.1:${port}`;

/** Returns a port that is free now. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
