import type { Child } from "../kit/processes.js";
import { startScript } from "../kit/servers.js";

/** Starts the proxy in a separate process, on a port and on a Unix socket if its path is given. Its sessions are recorded and ended. */
export function startRecordedProxy(socket?: string): Promise<Child> {
  return startScript(new URL("server-process.ts", import.meta.url), ...(socket === undefined ? [] : [socket]));
}

/** Starts a worker with this tag and the sessions of {@link WORKER_RUN}. */
export function startRecordedWorker(tag: string): Promise<Child> {
  return startScript(new URL("server-process.ts", import.meta.url), `--worker=${tag}`);
}

/** Starts the gateway of these workers. */
export function startRecordedGateway(urls: readonly string[]): Promise<Child> {
  return startScript(new URL("gateway-process.ts", import.meta.url), ...urls);
}

/** Starts a Node server that only sends this number of bytes, which it has in memory, on a port and on a Unix socket. */
export function startBareServer(bytes: number, socket: string): Promise<Child> {
  return startScript(new URL("bare-server-process.ts", import.meta.url), String(bytes), socket);
}

/** Reads from the proxy's metrics how many seconds it has spent on planning and packing since it started. */
export async function packSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = /export_(?:duration_)?seconds_sum (\S+)/.exec(text)?.[1];
  if (value === undefined) throw new Error("/metrics has no sum of export seconds");
  return Number(value);
}
