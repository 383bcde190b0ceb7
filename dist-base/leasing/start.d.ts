import type { FastifyBaseLogger } from "fastify";
import { type Config } from "../config/index.js";
import type { ControllerContext } from "./context.js";
export interface ControllerStartOptions extends Omit<ControllerContext, "publicMetrics" | "accessLog"> {
    readonly adminKey: string;
    readonly host: string;
    readonly port: number;
    readonly logger?: FastifyBaseLogger | undefined;
}
export interface RunningController {
    readonly url: string;
    /** Tells workers that the job is over, and stops once the answers in progress are sent. */
    close(): Promise<void>;
}
/** Starts the controller's HTTP server with section `server` of the configuration. Resolves when it accepts calls. */
export declare function startController(config: Config, { adminKey, host, port, logger, ...context }: ControllerStartOptions): Promise<RunningController>;
