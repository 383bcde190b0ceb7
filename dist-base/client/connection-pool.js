import { fetch as fetchOverUndici, request as requestOverUndici, Agent as UndiciAgent, } from "undici";
/** Returns the parts of a Request of Node's own fetch, because undici's fetch does not accept it. */
function readRequestParts({ method, headers, body, signal }) {
    return { method, headers, signal, ...(body && { body, duplex: "half" }) };
}
/** Below the 72 seconds after which the proxy closes an idle connection. */
const KEEP_ALIVE_MS = 30_000;
/**
 * The HTTP connections of a rollout worker: its control calls and its agents' model calls share them. The only time limit
 * of an answer is its call's signal, because generations can be long.
 */
export class ConnectionPool {
    #agent;
    /** @param connect opens a connection; default: over TCP or TLS */
    constructor(connect) {
        const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS };
        this.#agent = new UndiciAgent(connect ? { ...limits, connect } : limits);
    }
    /** `fetch` over these connections. */
    fetch = (input, init) => {
        const [url, parts] = input instanceof Request ? [input.url, readRequestParts(input)] : [input, {}];
        const options = { ...parts, ...init, dispatcher: this.#agent };
        // Compatible with Node's own Response, whose types come from another version of undici.
        return fetchOverUndici(url, options);
    };
    /** Sends one request and returns its complete answer. */
    async request(url, request) {
        const { statusCode, headers, body } = await this.#send(url, request);
        return { status: statusCode, headers, body: await body.bytes() };
    }
    /** Sends one request and returns its answer when the headers have arrived. */
    async open(url, request) {
        const { statusCode, headers, body } = await this.#send(url, request);
        // Nobody listens while a reader stores what it has read. It finds the error in `body.errored`.
        body.on("error", () => { });
        return { status: statusCode, headers, body };
    }
    #send(url, { method, headers, body, signal }) {
        return requestOverUndici(url, { dispatcher: this.#agent, method, headers, body: body ?? null, signal });
    }
    /** Closes every connection, even those with a call in flight. */
    close() {
        return this.#agent.destroy();
    }
    [Symbol.asyncDispose]() {
        return this.close();
    }
}
//# sourceMappingURL=connection-pool.js.map