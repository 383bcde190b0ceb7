import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
/**
 * Logs answers that fail after their headers were sent. Fastify logs each with a stack. If a connection broke or was closed on purpose,
 * the stack explains nothing, so it is left out.
 */
export declare class StreamLog extends Fastify.LogController {
    streamError(error: Error, request: FastifyRequest, reply: FastifyReply): void;
}
