import type { Config } from "../../config/index.js";
import type { UpstreamLimits } from "../upstreams/upstream-limits.js";
import type { SessionLimits } from "./session-limits.js";
import type { StoreLimits } from "./store.js";
export declare function toSessionLimits({ rollout: { agent } }: Config): SessionLimits;
export declare function toUpstreamLimits({ rollout: { agent } }: Config): UpstreamLimits;
export declare function toStoreLimits({ server }: Config): StoreLimits;
/**
 * Returns the default of `server.store_bytes`.
 *
 * @param available memory that this process may use
 */
export declare function chooseStoreBytes(available: number, bodyBytes: number, heapBytes?: number): number;
/** Returns the memory that this process may use: that of the machine, or of its cgroup if that has less. */
export declare function availableMemory(): number;
