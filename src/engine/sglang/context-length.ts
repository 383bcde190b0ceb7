import { EngineError } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";

/** The present name first, then older ones. */
const INFO_PATHS = ["server_info", "get_server_info", "model_info"];

/** Asks a server how many tokens prompt and output together may have. */
export async function askContextLength(server: ServerConnections): Promise<number> {
  let refusal: EngineError | undefined;
  for (const path of INFO_PATHS) {
    const { status, body } = await server.get(path);
    const length = status === 200 ? contextLengthOf(body) : undefined;
    if (length !== undefined) return length;
    if (status !== 200 && status !== 404) refusal ??= statusError(status, body);
  }
  throw refusal ?? new EngineError("engine_error", "The engine does not say what its context length is.");
}

/**
 * The length that a reply of `/server_info` stands for. `context_length` is null where the server was started without
 * that argument; `max_req_input_len` is then what the scheduler derived. One token less than the context, because
 * SGLang refuses requests that would fill it to the last token.
 */
export function contextLengthOf(body: string): number | undefined {
  const info = jsonObject(body);
  const states: unknown[] = Array.isArray(info["internal_states"]) ? info["internal_states"] : [];
  for (const source of [info, ...states.map((state): Record<string, unknown> => Object(state))]) {
    const context = positiveInteger(source["context_length"]);
    const pool = positiveInteger(source["max_total_num_tokens"]) ?? Number.POSITIVE_INFINITY;
    const length = context === undefined ? positiveInteger(source["max_req_input_len"]) : Math.min(context, pool) - 1;
    if (length !== undefined) return length;
  }
  return undefined;
}
