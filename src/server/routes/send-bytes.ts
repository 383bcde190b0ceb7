import type { FastifyReply } from "fastify";

/** Sends JSON as bytes. A route with a schema of its answer types `send` as the value. */
export function sendBytes(reply: FastifyReply, type: string, bytes: Buffer): FastifyReply {
  return reply.type(type).send(bytes);
}
