import { totalmem } from "node:os";
import type { Config } from "../../config/index.js";
import type { SessionLimits } from "./session-limits.js";
import type { StoreLimits } from "./store.js";

/**
 * Share of the machine's memory that the store gets by default. The JavaScript heap, request bodies and the packing of
 * exports use the rest.
 */
const STORE_SHARE = 0.5;

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
    bytes: server.store_bytes ?? Math.floor(STORE_SHARE * availableMemory()),
    highWater: server.store_high_water,
  };
}

/** Returns the memory that this process may use: that of the machine, or of its cgroup if that has less. */
function availableMemory(): number {
  // 0 or a number larger than the machine's memory if the cgroup has no limit.
  const constrained = process.constrainedMemory();
  return constrained ? Math.min(constrained, totalmem()) : totalmem();
}
