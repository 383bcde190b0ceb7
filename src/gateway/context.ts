import type { Upstream } from "./upstream.js";
import type { WorkerPool } from "./worker-pool.js";

/** What the gateway's routes work with. */
export interface GatewayContext {
  readonly pool: WorkerPool;
  readonly upstream: Upstream;
}
