import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureTinyModel } from "../../src/engine/index.js";
import { KillableProcess } from "../helpers/killable-process.js";
import { ADMIN_KEY } from "../helpers/proxy.js";

export interface SoakServers {
  /** Where agents and trainer send their calls. */
  readonly url: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly url: string }[];
  stop(): Promise<void>;
}

/** Starts one proxy. */
export async function startDirect(engineUrls: readonly string[]): Promise<SoakServers> {
  const proxy = await startWorker("proxy", engineUrls);
  return { url: proxy.url, processes: [toProcess(proxy)], stop: () => proxy.stop() };
}

/** Starts two proxies behind a gateway. */
export async function startBehindGateway(engineUrls: readonly string[]): Promise<SoakServers> {
  const root = mkdtempSync(join(tmpdir(), "rolltape-soak-"));
  const folder = join(root, "workers");
  const [first, second] = await Promise.all([
    startWorker("worker 1", engineUrls, `server.workers_folder=${folder}`),
    startWorker("worker 2", engineUrls, `server.workers_folder=${folder}`),
  ]);
  const gateway = await start("gateway", ["gateway", `gateway.workers_folder=${folder}`]);
  return {
    url: gateway.url,
    processes: [gateway, first, second].map(toProcess),
    stop: async () => {
      for (const each of [gateway, first, second]) await each.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const toProcess = ({ name, pid, url }: KillableProcess) => ({ name, pid, url });

async function startWorker(
  name: string,
  engineUrls: readonly string[],
  ...args: readonly string[]
): Promise<KillableProcess> {
  const model = await ensureTinyModel();
  return start(name, [
    "serve",
    "engine.type=sglang",
    `engine.urls=[${engineUrls.join(",")}]`,
    "engine.max_inflight=256",
    "engine.context_length=1000000",
    // Hanging calls end after this time.
    "engine.timeout_seconds=5",
    `model.path=${model.folder}`,
    "rollout.agent.chat_template_type=concat",
    "rollout.agent.export_retention_seconds=5",
    "server.shutdown_seconds=0",
    ...args,
  ]);
}

async function start(name: string, args: readonly string[]): Promise<KillableProcess> {
  const all = [...args, "server.port=0", "server.log_level=error"];
  const process = new KillableProcess(name, all, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
  await process.start();
  return process;
}
