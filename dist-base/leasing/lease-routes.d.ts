import type { FastifyBaseLogger } from "fastify";
import type { App } from "../http/app-type.js";
import type { ControllerContext } from "./context.js";
/** The calls of rollout workers. Each may be repeated. */
export declare function leaseRoutes(app: App, { tasks, settings }: ControllerContext, logger: FastifyBaseLogger | undefined): void;
