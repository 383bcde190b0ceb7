import type { FastifyReply } from "fastify";
import { z } from "zod";
import { ApiError } from "../http/errors.js";
import type { WorkerReply } from "./worker-connections.js";

/** Sends a worker's reply to the client. */
export function relay({ status, headers, body }: WorkerReply, reply: FastifyReply): FastifyReply {
  const retryAfter = headers["retry-after"];
  if (retryAfter !== undefined) void reply.header("retry-after", retryAfter);
  return reply
    .code(status)
    .type(headers["content-type"] ?? "application/json")
    .send(body);
}

/**
 * Returns the JSON body of a worker's reply.
 *
 * @throws ApiError `invalid_worker_reply` if it does not fit the schema
 */
export function parseReply<Schema extends z.ZodType>({ body }: WorkerReply, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(parse(body));
  if (parsed.success) return parsed.data;
  const problem = z.prettifyError(parsed.error);
  throw new ApiError("invalid_worker_reply", `A worker's reply is invalid: ${problem}`);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
