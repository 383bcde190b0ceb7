import type { BodyShares } from "../http/body-shares.js";
declare module "fastify" {
    interface FastifyReply {
        /** Receives the body of a waiting request into memory, if the budget of bodies has room for it. */
        holdBody(): void;
    }
}
/**
 * Adds `reply.holdBody`, for requests that wait. As long as a body is not read from its connection, Node does not notice that the
 * client disconnected, and the time limit for receiving the request continues.
 */
export declare const bodyHolding: import("fastify").FastifyPluginCallback<{
    readonly budget: BodyShares;
}, import("fastify").RawServerDefault, import("fastify").FastifyTypeProviderDefault, import("fastify").FastifyBaseLogger>;
