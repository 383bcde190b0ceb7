import { Agent } from "undici";
import { untilAborted } from "../support/async/until-aborted.js";
/** Less than the 72 s after which a worker closes an idle connection. */
const KEEP_ALIVE_MS = 30_000;
/** A machine that is switched off does not refuse connections; they get no answer. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The gateway's connections to its workers. Responses have no time limit, because a generation may take any time. */
export class Upstream {
    #agent = new Agent({
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connect: { timeout: CONNECT_TIMEOUT_MS },
    });
    get dispatcher() {
        return this.#agent;
    }
    /** Calls a worker and returns its whole reply, whatever the status. Rejects if the worker does not answer. */
    async call(url, { method = "POST", path, headers = {}, body, signal }) {
        const answer = this.#agent.request({
            origin: url,
            path,
            method,
            headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
            body: body ? JSON.stringify(body) : null,
            signal: signal ?? null,
        });
        // The agent does not listen to the signal while it opens the connection.
        const reply = await untilAborted(answer, signal);
        return { status: reply.statusCode, headers: reply.headers, body: await readBody(reply) };
    }
    /** Closes all connections. */
    close() {
        return this.#agent.destroy();
    }
}
/** Reads the body into one buffer of the announced length: joining chunks would copy large parts of batches once more. */
async function readBody({ headers, body }) {
    const length = Number(headers["content-length"] ?? Number.NaN);
    if (!Number.isSafeInteger(length))
        return Buffer.from(await body.arrayBuffer());
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for await (const chunk of body)
        at += chunk.copy(bytes, at);
    return bytes;
}
//# sourceMappingURL=upstream.js.map