import type { FastifyReply } from "fastify";

/** Sends JSON that is already encoded. In a route with a response schema, the type of `send` accepts only the value itself. */
export function sendBytes(reply: FastifyReply, type: string, bytes: Buffer): FastifyReply {
  return reply.type(type).send(bytes);
}
