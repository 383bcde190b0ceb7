import { disconnectSignal } from "../http/disconnect.js";
import { ApiError } from "../http/errors.js";
import { readKeys } from "../http/read-keys.js";
import { readKeyTag, readSessionTag } from "../session/worker-tag.js";
import { noWorkerError, workerUnavailableError } from "./forward.js";
/**
 * Returns the worker that the request's session key names, and waits for it if it is absent. If a request has two keys, one may be
 * for another service, so the first key that names a known worker decides. A request without a session key goes to any worker,
 * because all of them have the same admin key.
 *
 * @throws ApiError if keys name only unknown workers
 */
export async function findWorkerByKey(request, reply, pool) {
    const tags = readKeys(request).flatMap((key) => readKeyTag(key) ?? []);
    for (const tag of tags) {
        const worker = await pool.locate(tag, () => {
            reply.holdBody();
            return disconnectSignal(reply);
        });
        if (worker)
            return worker;
    }
    const [unknownTag] = tags;
    if (unknownTag === undefined)
        return pickAnyWorker(pool);
    throw workerUnavailableError(unknownTag);
}
/** Returns the worker that a session id names, and waits for it if it is absent. */
export async function findWorkerBySession(sessionId, reply, pool) {
    const tag = readSessionTag(sessionId);
    if (tag === undefined)
        throw new ApiError("session_not_found", `Session "${sessionId.slice(0, 200)}" does not exist.`);
    const worker = await pool.locate(tag, () => disconnectSignal(reply));
    if (!worker)
        throw workerUnavailableError(tag);
    return worker;
}
async function pickAnyWorker(pool) {
    if (pool.living().length === 0)
        await pool.refresh();
    const [worker] = pool.living();
    if (!worker)
        throw noWorkerError();
    return worker;
}
/** Returns the headers with the keys of a request, for calls on behalf of its client. */
export function pickCredentials({ headers }) {
    const { authorization, "x-api-key": apiKey, "x-goog-api-key": googleKey } = headers;
    return {
        ...(authorization === undefined ? {} : { authorization }),
        ...(typeof apiKey === "string" ? { "x-api-key": apiKey } : {}),
        ...(typeof googleKey === "string" ? { "x-goog-api-key": googleKey } : {}),
    };
}
//# sourceMappingURL=routing.js.map