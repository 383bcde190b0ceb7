import type { Upstream } from "./upstream.js";
import type { WorkerPool } from "./worker-pool.js";

/** The objects that the gateway's routes use. */
export interface GatewayContext {
  readonly pool: WorkerPool;
  readonly upstream: Upstream;
  /** Time limit of control calls, which a worker answers at once. */
  readonly controlMilliseconds: number;
  /** True if clients receive the address of the worker of a new session. */
  readonly direct: boolean;
  /** Answers `/metrics` without a key. */
  readonly publicMetrics: boolean;
  /** Logs a line per request. Default: false. */
  readonly accessLog?: boolean;
}
