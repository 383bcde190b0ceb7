import { type Child, startChild } from "../processes.js";

export const ADMIN_KEY = "sk-admin-bench-0123456789";

/** The proxy in a process of its own, with the sessions of the agent run ended and named as the library names them. */
export function startProxy(): Promise<Child> {
  const args = ["--import", "tsx", "bench/export/server-process.ts"];
  return startChild(process.execPath, args, { BENCH_ADMIN_KEY: ADMIN_KEY });
}

/** Seconds that the proxy has spent on planning and packing since it started, by its own metrics. */
export async function packSeconds(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = /export_(?:duration_)?seconds_sum (\S+)/.exec(text)?.[1];
  if (value === undefined) throw new Error("/metrics has no sum of export seconds");
  return Number(value);
}
