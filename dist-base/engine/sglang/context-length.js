import { EngineError } from "../engine.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";
/** The current name first, then older names. */
const INFO_PATHS = ["server_info", "get_server_info", "model_info"];
/** Asks a server for its limit of prompt and output tokens together. */
export async function askContextLength(server) {
    let refusal;
    for (const path of INFO_PATHS) {
        const { status, body } = await server.get(path);
        const length = status === 200 ? readContextLength(body) : undefined;
        if (length !== undefined)
            return length;
        if (status !== 200 && status !== 404)
            refusal ??= statusError(status, body);
    }
    throw refusal ?? new EngineError("engine_error", "The engine does not report its context length.");
}
/**
 * Reads the context length in a reply of `/server_info`. `context_length` is null if the server was started without that
 * argument; the scheduler's own value is then `max_req_input_len`. The result is one token less than the context, because
 * SGLang refuses requests that would fill it to the last token.
 */
export function readContextLength(body) {
    const info = jsonObject(body);
    const states = Array.isArray(info["internal_states"]) ? info["internal_states"] : [];
    for (const source of [info, ...states.map((state) => Object(state))]) {
        const context = positiveInteger(source["context_length"]);
        const pool = positiveInteger(source["max_total_num_tokens"]) ?? Number.POSITIVE_INFINITY;
        const length = context === undefined ? positiveInteger(source["max_req_input_len"]) : Math.min(context, pool) - 1;
        if (length !== undefined)
            return length;
    }
    return undefined;
}
//# sourceMappingURL=context-length.js.map