import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiError } from "../http/errors.js";
declare module "fastify" {
    interface FastifyContextConfig {
        /** Shape of the route's error bodies. `client`: the shape of the API that the client speaks. Default: `openai`. */
        readonly errors?: "openai" | "anthropic" | "client";
    }
}
/** Returns an error body in the shape of the API that the path, the route or its client speaks. */
export declare function toErrorBody(error: ApiError, request: FastifyRequest, reply: FastifyReply): object;
