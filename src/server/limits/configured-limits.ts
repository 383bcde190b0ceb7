import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import type { Config } from "../../config/index.js";
import type { UpstreamLimits } from "../upstreams/upstream-limits.js";
import type { StoreLimits } from "./memory-budget.js";
import type { SessionLimits } from "./session-limits.js";

/**
 * Default share of the store in the memory that the JavaScript heap and request bodies leave. The rest is for packing: a batch
 * takes more memory than the sessions in it.
 */
const STORE_SHARE = 0.5;
/** Minimum share of the store in all memory. */
const MIN_STORE_SHARE = 0.125;

export function toSessionLimits({ rollout: { agent } }: Config): SessionLimits {
  return {
    tokens: agent.max_session_tokens ?? Number.POSITIVE_INFINITY,
    calls: agent.max_session_calls ?? Number.POSITIVE_INFINITY,
    bytes: agent.max_session_bytes ?? Number.POSITIVE_INFINITY,
    concurrentCalls: agent.max_concurrent_calls ?? Number.POSITIVE_INFINITY,
  };
}

export function toUpstreamLimits({ rollout: { agent } }: Config): UpstreamLimits {
  return {
    calls: agent.max_upstream_calls ?? Number.POSITIVE_INFINITY,
    concurrentCalls: agent.max_concurrent_upstream_calls ?? Number.POSITIVE_INFINITY,
  };
}

export function toStoreLimits({ server }: Config): StoreLimits {
  return {
    bytes: server.store_bytes ?? chooseStoreBytes(availableMemory(), server.body_bytes_in_flight),
    highWater: server.store_high_water,
  };
}

/**
 * Returns the default of `server.store_bytes`.
 *
 * @param available memory that this process may use
 */
export function chooseStoreBytes(
  available: number,
  bodyBytes: number,
  heapBytes = getHeapStatistics().heap_size_limit,
): number {
  return Math.floor(Math.max(MIN_STORE_SHARE * available, STORE_SHARE * (available - heapBytes - bodyBytes)));
}

/** Returns the memory that this process may use: that of the machine, or of its cgroup if that has less. */
export function availableMemory(): number {
  // Without a limit of the cgroup, this is 0 or larger than the memory of the machine.
  const constrained = process.constrainedMemory();
  return constrained ? Math.min(constrained, totalmem()) : totalmem();
}
