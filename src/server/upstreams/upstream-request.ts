import type { FastifyRequest } from "fastify";
import type { Upstream } from "../../config/index.js";
import { readKeys } from "../../http/read-keys.js";
import { findString } from "../../support/json/elements.js";
import { type KeyHeader, toUpstreamHeaders } from "./forwarded-headers.js";
import { findKeys, type KeyFinder } from "./key-finder.js";

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
export function toUpstreamRequest(
  { url, apiKey, model }: Upstream,
  endpoint: UpstreamEndpoint,
  request: FastifyRequest,
  json: Buffer,
): UpstreamRequest {
  const base = new URL(url);
  const holdsKey = findKeys(readKeys(request));
  const header: KeyHeader = endpoint.startsWith("messages") ? "x-api-key" : "authorization";
  return {
    origin: base.origin,
    path: `${readBasePath(base)}/${endpoint}${readQuery(request, holdsKey)}`,
    headers: toUpstreamHeaders(request.headers, holdsKey, { header, value: apiKey }),
    body: writeBody(json, model),
  };
}

/** The API of a URL without a path is below `/v1`, as at OpenAI and Anthropic. */
function readBasePath({ pathname }: URL): string {
  const path = pathname.replace(/\/+$/, "");
  return path === "" ? "/v1" : path;
}

/** Returns the query with its `?`; an empty string if it contains a key of the request, which some clients send there. */
function readQuery({ url }: FastifyRequest, holdsKey: KeyFinder): string {
  const start = url.indexOf("?");
  const query = start < 0 ? "" : url.slice(start);
  return holdsKey(query) ? "" : query;
}

/**
 * Replaces the model name in the bytes of a body. All other bytes, such as the spelling of numbers, stay as they are.
 *
 * If the bytes have `model` twice or with escapes, the upstream could read another name than the one that was looked up. They are then
 * parsed and written again.
 *
 * @param model undefined: the requested name stays
 */
function writeBody(json: Buffer, model: string | undefined): Buffer {
  const found = findString(json, "model");
  if (!found) {
    const value: unknown = JSON.parse(json.toString("utf8"));
    return Buffer.from(JSON.stringify({ ...Object(value), ...(model === undefined ? {} : { model }) }));
  }
  if (model === undefined) return json;
  const name = Buffer.from(JSON.stringify(model));
  return Buffer.concat([json.subarray(0, found.start), name, json.subarray(found.end)]);
}
