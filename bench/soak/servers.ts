import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, startChild } from "../processes.js";
import { ADMIN_KEY, startProxy } from "../servers.js";

export interface SoakServers {
  /** Where agents and trainer send their calls. */
  readonly url: string;
  readonly processes: readonly { readonly name: string; readonly pid: number; readonly url: string }[];
  stop(): Promise<void>;
}

const SETTINGS = [
  // Hanging calls end after this time.
  "engine.timeout_seconds=5",
  "rollout.agent.chat_template_type=concat",
  "rollout.agent.export_retention_seconds=5",
];

/** Starts one proxy. */
export async function startDirect(engineUrls: readonly string[]): Promise<SoakServers> {
  const proxy = await startWorker(engineUrls);
  return { url: proxy.url, processes: [toProcess("proxy", proxy)], stop: () => proxy.stop() };
}

/** Starts two proxies behind a gateway. */
export async function startBehindGateway(engineUrls: readonly string[]): Promise<SoakServers> {
  const root = mkdtempSync(join(tmpdir(), "rolltape-soak-"));
  const folder = join(root, "workers");
  const workers = [0, 1].map(() => startWorker(engineUrls, `server.workers_folder=${folder}`));
  const [first, second] = await Promise.all(workers);
  if (!first || !second) throw new Error("two workers expected");
  const gateway = await startGateway(folder);
  return {
    url: gateway.url,
    processes: [toProcess("gateway", gateway), toProcess("worker 1", first), toProcess("worker 2", second)],
    stop: async () => {
      for (const each of [gateway, first, second]) await each.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const toProcess = (name: string, { pid, url }: Child) => ({ name, pid, url });

function startWorker(engineUrls: readonly string[], ...args: readonly string[]): Promise<Child> {
  const engineUrl = `[${engineUrls.join(",")}]`;
  return startProxy({ engineUrl, connections: 256, args: [...SETTINGS, ...args] });
}

function startGateway(folder: string): Promise<Child> {
  const args = ["gateway", "server.port=0", "server.log_level=error", `gateway.workers_folder=${folder}`];
  return startChild(process.execPath, ["dist/cli/main.js", ...args], { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
}
