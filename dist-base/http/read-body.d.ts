import type { Readable } from "node:stream";
import { type FastifyRequest } from "fastify";
/**
 * Reads the body of a request into one buffer, with the checks and errors of Fastify's own reader. Fastify's reader keeps all
 * chunks and then copies them, so a body takes twice its size outside V8's heap. Here each chunk is freed when it is copied.
 */
export declare function readBody(request: FastifyRequest, payload: Readable, done: (error: Error | null, bytes: Buffer) => void): void;
