import type { FastifyRequest } from "fastify";

/**
 * Returns true if the client speaks Anthropic's API, for paths that both OpenAI and Anthropic have, such as `/v1/models`.
 * Anthropic's SDKs always send `anthropic-version`. A plain HTTP client may send only its key, as `x-api-key`.
 */
export function isAnthropicClient({ headers }: FastifyRequest): boolean {
  return (
    headers["anthropic-version"] !== undefined ||
    (headers["x-api-key"] !== undefined && headers.authorization === undefined)
  );
}
