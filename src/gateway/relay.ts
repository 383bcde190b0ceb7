import type { FastifyReply } from "fastify";
import { z } from "zod";
import { ApiError } from "../http/errors.js";
import type { UpstreamReply } from "./upstream.js";

/** Answers as a worker did. */
export function relay({ status, headers, body }: UpstreamReply, reply: FastifyReply): FastifyReply {
  const retryAfter = headers["retry-after"];
  if (retryAfter !== undefined) void reply.header("retry-after", retryAfter);
  return reply
    .code(status)
    .type(headers["content-type"] ?? "application/json")
    .send(body);
}

/** The worker's JSON. */
export function jsonOf<Schema extends z.ZodType>({ body }: UpstreamReply, schema: Schema): z.output<Schema> {
  const parsed = schema.safeParse(parse(body));
  if (parsed.success) return parsed.data;
  throw new ApiError("invalid_worker_reply", `A worker answered what none does: ${z.prettifyError(parsed.error)}`);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
