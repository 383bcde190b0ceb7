import { EngineError } from "../../engine.js";
import { KeyRefusedError, NotServedError, publicText, statusError } from "./errors.js";
import { jsonObject } from "./json.js";
/** Sends a control request. @throws EngineError unless the answer has status 200 */
export async function postControl(server, request) {
    const { status, body } = await server.control({ ...request, method: "POST" });
    if (status !== 200)
        throw statusError(status, body);
}
/**
 * Sends a request of a weight update.
 *
 * @throws EngineError unless the answer has status 200. A reply with `"success": false` is a failure, whatever its status.
 */
export async function postUpdate(server, request) {
    const { status, body } = await server.control({ timeoutMilliseconds: 0, ...request, method: "POST" });
    if (status !== 200)
        throw statusError(status, body);
    const { success, message } = jsonObject(body);
    if (success !== false)
        return;
    const detail = publicText(typeof message === "string" ? message : "");
    throw new EngineError("engine_error", `The engine answered that /${request.path} failed${detail && `: ${detail}`}`);
}
/** Sends a request of a weight update, unless the server is older than the endpoint. Older servers work without it. */
export async function postUpdateIfServed(server, request) {
    try {
        await postUpdate(server, request);
    }
    catch (error) {
        if (!(error instanceof NotServedError))
            throw error;
    }
}
/**
 * Checks a server's health with the first of `paths` that exists.
 *
 * @throws KeyRefusedError if the answer has status 401, EngineError engine_unavailable for any other status than 200
 */
export async function requireHealthy(server, paths, signal) {
    let status = 404;
    for (const path of paths) {
        ({ status } = await server.get(path, signal));
        if (status !== 404)
            break;
    }
    if (status === KeyRefusedError.STATUS)
        throw new KeyRefusedError("engine_unavailable");
    if (status !== 200)
        throw new EngineError("engine_unavailable", `The engine is not healthy (HTTP ${status}).`);
}
//# sourceMappingURL=control-requests.js.map