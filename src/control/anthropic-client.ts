import type { FastifyRequest } from "fastify";

/**
 * Whether a request for what OpenAI and Anthropic both have under one path comes from a client of Anthropic's API. Its
 * SDKs always send `anthropic-version`; plain HTTP clients may send nothing but their key, as `x-api-key`.
 */
export function isAnthropicClient({ headers }: FastifyRequest): boolean {
  return (
    headers["anthropic-version"] !== undefined ||
    (headers["x-api-key"] !== undefined && headers.authorization === undefined)
  );
}
