import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { AgentContext } from "../../../src/rollout/contract.js";
import { ProcessPool, type ProcessPoolOptions } from "../../../src/rollout/subproc/process-pool.js";

/** Folder of the agents that these tests send to other processes. */
export const AGENTS = fileURLToPath(new URL("./agents", import.meta.url));

/** Returns the context of an episode. No proxy listens at its address. */
export function context(key = "sk-of-this-task", signal = new AbortController().signal): AgentContext {
  return { base_url: "http://127.0.0.1:9", api_key: key, http_client: fetch, signal };
}

/** Creates a pool that is closed when the test ends. */
export function pool(options: Partial<ProcessPoolOptions> = {}): ProcessPool {
  const made = new ProcessPool({ maxWorkers: 1, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Returns true if the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
