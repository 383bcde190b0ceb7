import { EngineError } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";

/** The current name first, then older names. */
const INFO_PATHS = ["server_info", "get_server_info", "model_info"];

/**
 * Tokens that SGLang takes off its context for `max_req_input_len`: one because a request cannot fill the context to the last
 * token, and five in reserve.
 */
const RESERVED = 6;

/** Asks a server for its limit of prompt and output tokens together. */
export async function askContextLength(server: ServerConnections): Promise<number> {
  let refusal: EngineError | undefined;
  for (const path of INFO_PATHS) {
    const { status, body } = await server.get(path);
    const length = status === 200 ? readContextLength(body) : undefined;
    if (length !== undefined) return length;
    if (status !== 200 && status !== 404) refusal ??= statusError(status, body);
  }
  throw refusal ?? new EngineError("engine_error", "The engine does not report its context length.");
}

/**
 * Reads the context length in a reply of `/server_info`: `max_req_input_len`, or what SGLang derives it from. Requests with so
 * many input tokens are refused.
 *
 * SGLang would generate up to four tokens more. They are left out, because a generation that a weight update cut among
 * them could not be resumed: prompt and partial output are the input of the next request.
 */
export function readContextLength(body: string): number | undefined {
  const info = jsonObject(body);
  const states: unknown[] = Array.isArray(info["internal_states"]) ? info["internal_states"] : [];
  for (const source of [info, ...states.map((state): Record<string, unknown> => Object(state))]) {
    const length = positiveInteger(source["max_req_input_len"]);
    if (length !== undefined) return length;
    const context = positiveInteger(source["context_length"]);
    const pool = positiveInteger(source["max_total_num_tokens"]) ?? Number.POSITIVE_INFINITY;
    if (context !== undefined) return Math.min(context, pool) - RESERVED;
  }
  return undefined;
}
