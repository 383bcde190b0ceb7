import { Pool } from "undici";
import { native } from "../../../native/addon.js";
import { isBroken, notStarted, transportError } from "./errors.js";
import { ConnectionUse, KeepAliveClient } from "./keep-alive-client.js";
import { post } from "./post.js";
/** Below the five seconds after which uvicorn, the engines' web server, closes an idle connection. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_MS = 10_000;
const CONTROL_MS = 10_000;
/** No time limit for the first or the next byte of a generation. The call's signal has the limit. */
const GENERATE_OPTIONS = {
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_MS,
    pipelining: 1,
};
/** Connections to one engine server, or to a router. */
export class ServerConnections {
    #base;
    #origin;
    #headers;
    #adminHeaders;
    #generations;
    /** Control requests have their own connections: an abort must not wait behind the generations that it stops. */
    #control;
    /**
     * @param connections maximum number of generations that run at once. Each has its own connection.
     * @param keys `adminApiKey` is the key of the server's control endpoints, if it differs from `apiKey`
     */
    constructor(url, connections, keys) {
        this.#base = new URL(url.endsWith("/") ? url : `${url}/`);
        this.#origin = this.#base.origin;
        this.#headers = authorization(keys.apiKey);
        this.#adminHeaders = authorization(keys.adminApiKey ?? keys.apiKey);
        this.#generations = new Pool(this.#origin, {
            ...GENERATE_OPTIONS,
            connections,
            factory: (origin, options) => new KeepAliveClient(origin, options),
        });
        this.#control = new Pool(this.#origin, {
            connections: 4,
            keepAliveTimeout: KEEP_ALIVE_MS,
            connectTimeout: CONNECT_MS,
        });
    }
    /**
     * Requests a generation. If a kept-alive connection breaks before the first byte of the reply, the request is sent once
     * more on a new connection. No other generation is sent twice.
     *
     * @param makeSink creates the sink of a reply; called for each request that is sent
     * @returns the sink that took the reply
     * @throws NotStartedError if the server cannot have received the whole request
     */
    async generate(request, makeSink, signal) {
        const use = new ConnectionUse();
        const sink = makeSink();
        try {
            await post(this.#generations, this.#toPost(request, signal), use, sink);
            freeBody(request, use);
            return sink;
        }
        catch (error) {
            if (signal.aborted || !use.keptAliveWithoutReply)
                throw toFailure(error, use, signal);
            return await this.#onFreshConnection(request, makeSink(), signal);
        }
    }
    async #onFreshConnection(request, sink, signal) {
        const use = new ConnectionUse();
        const client = new KeepAliveClient(this.#origin, GENERATE_OPTIONS);
        try {
            await post(client, this.#toPost(request, signal), use, sink);
            freeBody(request, use);
            return sink;
        }
        catch (error) {
            throw toFailure(error, use, signal);
        }
        finally {
            await client.destroy();
        }
    }
    #toPost({ path, body, routingKey, headers }, signal) {
        const key = headerValue(routingKey);
        const own = { "content-type": "application/json", "x-smg-routing-key": key, "x-session-id": key };
        const all = { ...own, ...this.#headers, ...headers };
        return { origin: this.#origin, path: this.#path(path), headers: all, body, signal };
    }
    /**
     * Returns status and body of the reply, whatever the status. If the connection breaks before the reply, the request is sent once
     * more, because the server may have closed the connection when it was idle. Every control request may arrive twice.
     */
    async control(request) {
        try {
            return await this.#sendControl(request);
        }
        catch (error) {
            if (request.signal?.aborted || !isBroken(error))
                throw error;
            return this.#sendControl(request);
        }
    }
    async #sendControl(request) {
        const { signal, body, timeoutMilliseconds = CONTROL_MS } = request;
        const key = request.admin ? this.#adminHeaders : this.#headers;
        try {
            const response = await this.#control.request({
                method: request.method,
                path: this.#path(request.path),
                headers: body === undefined ? key : { ...key, "content-type": "application/json" },
                body: body === undefined ? null : JSON.stringify(body),
                signal: signal ?? null,
                headersTimeout: timeoutMilliseconds,
                bodyTimeout: timeoutMilliseconds,
            });
            return { status: response.statusCode, body: await response.body.text() };
        }
        catch (error) {
            throw signal?.aborted ? signal.reason : transportError(error, this.#origin);
        }
    }
    get(path, signal) {
        return this.control({ method: "GET", path, signal });
    }
    /** Closes all connections. Requests in flight reject with engine_unavailable. */
    async close() {
        await Promise.all([this.#generations.destroy(), this.#control.destroy()]);
    }
    #path(name) {
        return `${this.#base.pathname}${name}`;
    }
}
/**
 * Frees or gives back the body of a request that was sent completely. A server may answer earlier: the body is then still being
 * written, and garbage collection frees it later.
 */
function freeBody({ body, onSent = () => native.freeBytes(body) }, { isSent }) {
    if (isSent)
        onSent();
}
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
function authorization(key) {
    return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
function toFailure(error, use, signal) {
    if (signal.aborted)
        return signal.reason;
    return use.mayHaveRun ? error : notStarted(error);
}
/** Returns a text as an ASCII header value; other characters are percent-encoded. */
function headerValue(text) {
    if (PRINTABLE_ASCII.test(text))
        return text;
    return text.toWellFormed().replace(/[^\x20-\x7e]/gu, encodeURIComponent);
}
//# sourceMappingURL=connections.js.map