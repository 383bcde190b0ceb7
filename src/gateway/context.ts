import type { WorkerConnections } from "./worker-connections.js";
import type { WorkerPool } from "./worker-pool.js";

/** The state of a process that runs a worker. */
export interface WorkerProcessState {
  readonly name: string;
  /** `failed`: it died too often, and is not restarted. */
  readonly status: "starting" | "ready" | "restarting" | "failed";
  /** Tag of the worker that runs in it, or ran in it last. */
  readonly tag?: string | undefined;
  readonly restarts: number;
  /** How it last ended, such as `SIGKILL` or `status 1`. */
  readonly ended?: string | undefined;
}

/** The objects that the gateway's routes use. */
export interface GatewayContext {
  readonly pool: WorkerPool;
  readonly upstream: WorkerConnections;
  /** Time limit of control calls, which a worker answers at once. */
  readonly controlMilliseconds: number;
  /** True if clients receive the address of the worker of a new session. */
  readonly direct: boolean;
  /** Answers `/metrics` without a key. */
  readonly publicMetrics: boolean;
  /** Undefined if other commands start the workers. */
  readonly processes?: (() => readonly WorkerProcessState[]) | undefined;
  /** Logs a line per request. Default: false. */
  readonly accessLog?: boolean;
}
