import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { Config } from "../../config/index.js";
import type { SessionLimits } from "./session-limits.js";
import type { StoreLimits } from "./store.js";

/**
 * Share of the memory beside the JavaScript heap and request bodies that the store gets by default. The rest is for
 * packing: a batch takes more memory than the sessions in it.
 */
const STORE_SHARE = 0.5;
/** The share of all memory that it gets at least. */
const MIN_STORE_SHARE = 0.125;

export function toSessionLimits({ rollout: { agent } }: Config): SessionLimits {
  return {
    tokens: agent.max_session_tokens ?? Number.POSITIVE_INFINITY,
    calls: agent.max_session_calls ?? Number.POSITIVE_INFINITY,
    bytes: agent.max_session_bytes ?? Number.POSITIVE_INFINITY,
    concurrentCalls: agent.max_concurrent_calls ?? Number.POSITIVE_INFINITY,
  };
}

export function toStoreLimits({ server }: Config): StoreLimits {
  return {
    bytes: server.store_bytes ?? chooseStoreBytes(availableMemory(), server.body_bytes_in_flight),
    highWater: server.store_high_water,
  };
}

/** @param available memory that this process may use */
export function chooseStoreBytes(
  available: number,
  bodyBytes: number,
  heapBytes = getHeapStatistics().heap_size_limit,
): number {
  return Math.floor(Math.max(MIN_STORE_SHARE * available, STORE_SHARE * (available - heapBytes - bodyBytes)));
}

/** Returns the memory that this process may use: that of the machine, or of its cgroup if that has less. */
function availableMemory(): number {
  // 0 or a number larger than the machine's memory if the cgroup has no limit.
  const constrained = process.constrainedMemory();
  return constrained ? Math.min(constrained, totalmem()) : totalmem();
}
