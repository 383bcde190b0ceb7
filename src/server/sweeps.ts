import type { Config } from "../config/index.js";
import type { ServerServices } from "./services.js";

const LONGEST_INTERVAL_MS = 10_000;
const SHORTEST_INTERVAL_MS = 50;

/**
 * Frees expired objects at intervals: idle sessions, remembered requests, retained exports, leases, unused shared memory.
 *
 * The timer keeps neither the process nor the server alive, because nobody closes the proxy of an in-process client.
 *
 * @returns a function that stops the sweeps
 */
export function startSweeps(context: ServerServices, config: Config): () => void {
  return sweepRepeatedly(new WeakRef(context), chooseInterval(config));
}

/** A separate function, because a closure in {@link startSweeps} would keep `context` alive. */
function sweepRepeatedly(context: WeakRef<ServerServices>, milliseconds: number): () => void {
  const timer = setInterval(() => {
    const target = context.deref();
    if (target) sweep(target);
    else clearInterval(timer);
  }, milliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

function sweep({ registry, knownRequests, sharedExports, exportLeases, sharedMemory, storage }: ServerServices): void {
  exportLeases.reap();
  registry.sweep();
  knownRequests.sweep();
  sharedExports.reap();
  sharedMemory.trim();
  if (storage) void registry.unloadIdle(() => registry.bytes <= storage.memoryBytes).catch(() => undefined);
}

/** Returns an interval that is short compared with the configured timeouts, which tests set to parts of a second. */
function chooseInterval({ rollout: { agent } }: Config): number {
  const shortest = Math.min(agent.session_timeout_seconds, agent.export_retention_seconds || Number.POSITIVE_INFINITY);
  return Math.min(LONGEST_INTERVAL_MS, Math.max(SHORTEST_INTERVAL_MS, (shortest * 1000) / 4));
}
