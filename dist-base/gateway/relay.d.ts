import type { FastifyReply } from "fastify";
import { z } from "zod";
import type { UpstreamReply } from "./upstream.js";
/** Sends a worker's reply to the client. */
export declare function relay({ status, headers, body }: UpstreamReply, reply: FastifyReply): FastifyReply;
/**
 * Returns the JSON body of a worker's reply.
 *
 * @throws ApiError `invalid_worker_reply` if it does not fit the schema
 */
export declare function parseReply<Schema extends z.ZodType>({ body }: UpstreamReply, schema: Schema): z.output<Schema>;
