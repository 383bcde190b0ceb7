import type { Config } from "../config/index.js";
import type { ServerContext } from "./context.js";

const LONGEST_INTERVAL_MS = 10_000;
const SHORTEST_INTERVAL_MS = 50;

/**
 * Frees at intervals what ends by time: idle sessions, what is known of their requests, retained exports, leases of shared
 * files, unused shared memory. Keeps neither the process nor the server alive: nobody closes a proxy of an in-process client.
 *
 * @returns a function that stops the sweeps
 */
export function startSweeps(context: ServerContext, config: Config): () => void {
  return sweepRepeatedly(new WeakRef(context), intervalOf(config));
}

/** In a function of its own: a closure beside the context would hold it. */
function sweepRepeatedly(context: WeakRef<ServerContext>, milliseconds: number): () => void {
  const timer = setInterval(() => {
    const target = context.deref();
    if (target) sweep(target);
    else clearInterval(timer);
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

function sweep({ registry, known, sharedExports, sharedMemory }: ServerContext): void {
  registry.sweep();
  known.sweep();
  sharedExports.reap();
  sharedMemory.trim();
}

/** Often enough that a short time-out (in tests, say) is kept. */
function intervalOf({ rollout: { agent } }: Config): number {
  const shortest = Math.min(agent.session_timeout_seconds, agent.export_retention_seconds || Number.POSITIVE_INFINITY);
  return Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, (shortest * 1000) / 4));
}
