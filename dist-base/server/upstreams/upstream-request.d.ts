import type { FastifyRequest } from "fastify";
import type { Upstream } from "../../config/index.js";
/** Path of a model call below the base URL of its API. */
export type UpstreamEndpoint = "chat/completions" | "responses" | "messages" | "messages/count_tokens";
/** A call as it is sent to an upstream. */
export interface UpstreamRequest {
    readonly origin: string;
    readonly path: string;
    readonly headers: Record<string, string | string[]>;
    readonly body: Buffer;
}
/**
 * Returns a call as it is sent to an upstream: with the upstream's address, key and model name, and with the bytes of its body as they
 * were received.
 */
export declare function toUpstreamRequest({ url, apiKey, model }: Upstream, endpoint: UpstreamEndpoint, request: FastifyRequest, json: Buffer): UpstreamRequest;
