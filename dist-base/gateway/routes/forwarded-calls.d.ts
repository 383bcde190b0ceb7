import type { FastifyInstance } from "fastify";
import type { GatewayContext } from "../context.js";
/** Forwards all other calls to the worker of their key, without parsing the body: model calls, rewards, ends of sessions. */
export declare function forwardedCallRoutes(app: FastifyInstance, { pool }: GatewayContext): void;
