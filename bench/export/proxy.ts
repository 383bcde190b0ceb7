import { type Child, startChild } from "../processes.js";

export const ADMIN_KEY = "sk-admin-bench-0123456789";

/** Starts the proxy in a separate process, on a port and on a Unix socket if its path is given. Its sessions are recorded and ended. */
export function startProxy(socket?: string): Promise<Child> {
  return startScript("server-process.ts", socket === undefined ? [] : [socket], { BENCH_ADMIN_KEY: ADMIN_KEY });
}

/** Starts a Node server that only sends this number of bytes, which it has in memory, on a port and on a Unix socket. */
export function startBareServer(bytes: number, socket: string): Promise<Child> {
  return startScript("bare-server-process.ts", [String(bytes), socket]);
}

function startScript(name: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Child> {
  const script = new URL(name, import.meta.url).pathname;
  return startChild(process.execPath, ["--import", "tsx", script, ...args], env);
}

/** Reads from the proxy's metrics how many seconds it has spent on planning and packing since it started. */
export async function packSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = /export_(?:duration_)?seconds_sum (\S+)/.exec(text)?.[1];
  if (value === undefined) throw new Error("/metrics has no sum of export seconds");
  return Number(value);
}
