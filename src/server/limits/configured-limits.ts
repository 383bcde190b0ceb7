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
/**
 * Share of the store and of the limit of the JavaScript heap above which new sessions are refused, which leaves room for the calls of
 * running sessions.
 */
const STORE_HIGH_WATER = 0.8;

/** Maximum tokens of one session. Tokens that a call shares with its parent count once. */
const SESSION_TOKENS = 2 ** 28;
/** Maximum number of recorded calls of one session. */
const SESSION_CALLS = 65_536;
/** Maximum number of calls to upstreams that one session may have in flight. */
const CONCURRENT_UPSTREAM_CALLS = 16;

export function toSessionLimits({ server }: Config): SessionLimits {
  return {
    tokens: SESSION_TOKENS,
    calls: SESSION_CALLS,
    bytes: server.max_session_bytes ?? Number.POSITIVE_INFINITY,
    concurrentCalls: server.max_concurrent_calls ?? Number.POSITIVE_INFINITY,
  };
}

export function toUpstreamLimits({ server }: Config): UpstreamLimits {
  return {
    calls: server.max_upstream_calls ?? Number.POSITIVE_INFINITY,
    concurrentCalls: CONCURRENT_UPSTREAM_CALLS,
  };
}

export function toStoreLimits({ server }: Config): StoreLimits {
  return {
    bytes: server.store_bytes ?? chooseStoreBytes(availableMemory(), server.body_bytes_in_flight),
    highWater: STORE_HIGH_WATER,
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
