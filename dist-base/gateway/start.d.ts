import type { FastifyBaseLogger } from "fastify";
import { type Config } from "../config/index.js";
import { type CutAnswer } from "../http/connections/answer.js";
import { ProbePort } from "../http/probes/probe-port.js";
import type { WorkerProcessState } from "./context.js";
export interface RunningGateway {
    readonly url: string;
    /** Address of `server.probe_port`. Undefined if it is not set. */
    readonly probeUrl: string | undefined;
    /** Tags of the workers that answered. */
    readonly workers: readonly string[];
    /** Tells probes of `server.probe_port` that the gateway will stop. It still forwards calls. */
    announceStop(): Promise<void>;
    /**
     * Stops the gateway once the answers in progress are sent, or at the deadline.
     *
     * @returns the answers that were cut
     */
    close(options?: GatewayStop): Promise<CutAnswer[]>;
}
export interface GatewayStop {
    /** A time in milliseconds since the epoch. Default: after `server.shutdown_seconds`. */
    readonly deadline?: number;
    /** True if no worker comes back, so that calls do not wait for one. */
    readonly workersEnded?: boolean;
}
export interface GatewayStartOptions {
    /** Returns the state of the processes that run the workers, if the gateway's command started them. `/health` shows it. */
    readonly processes?: (() => readonly WorkerProcessState[]) | undefined;
    /** Admin key of the workers. With it, the gateway refuses control calls with another key before it reads their bodies. */
    readonly adminKey?: string | undefined;
    readonly logger?: FastifyBaseLogger;
    /** Open port for probes, which the gateway closes. Default: opens `server.probe_port`. */
    readonly probes?: ProbePort | undefined;
}
/** Starts a gateway with the sections `gateway` and `server` of the configuration. Resolves when it accepts calls. */
export declare function startGateway(config: Config, options?: GatewayStartOptions): Promise<RunningGateway>;
