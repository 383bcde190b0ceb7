import { ApiError, CATALOGUE } from "../../http/errors.js";
import { ViewError } from "../errors.js";
/** Episodes of a running server. Its admin key stays in this process: the page never has it. */
export class ServerSource {
    #api;
    #adminKey;
    /** @param url address of the server, such as `http://127.0.0.1:8090` */
    constructor(url, adminKey) {
        this.#api = new URL(`${url.replace(/\/+$/, "").replace(/\/ui$/, "")}/ui/api/`);
        this.#adminKey = adminKey;
    }
    /**
     * Checks that the server answers.
     *
     * @throws ViewError
     */
    async check() {
        try {
            await this.overview();
        }
        catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            throw new ViewError("server_unavailable", message, { cause: error });
        }
    }
    overview() {
        return this.#get("overview");
    }
    changes(after, signal) {
        return this.#get(`changes?after=${after}`, signal);
    }
    episode(index) {
        return this.#get(`episodes/${index}`);
    }
    tokens({ episode, interaction, from, count }) {
        return this.#get(`episodes/${episode}/tokens/${interaction}?from=${from}&count=${count}`);
    }
    search(text, signal) {
        return this.#get(`episodes?${new URLSearchParams({ text }).toString()}`, signal);
    }
    async [Symbol.asyncDispose]() { }
    async #get(path, signal = null) {
        const headers = { authorization: `Bearer ${this.#adminKey}` };
        let response;
        try {
            // The key must not follow a redirect to another server.
            response = await fetch(new URL(path, this.#api), { headers, signal, redirect: "error" });
        }
        catch (cause) {
            signal?.throwIfAborted();
            throw unavailable(`The server at ${this.#api.origin} does not answer.`, cause);
        }
        const body = await response.json().catch(() => undefined);
        if (response.ok && body !== undefined)
            return body;
        throw this.#toError(response.status, body);
    }
    #toError(status, body) {
        const { error } = (body ?? {});
        const { code, message } = error ?? {};
        const server = `The server at ${this.#api.origin}`;
        // Not as 401: the page would ask for a key that it must not have.
        if (status === 401 || status === 403) {
            return unavailable(`${server} refuses the key. ROLLTAPE_ADMIN_API_KEY must be its admin key.`);
        }
        if (typeof message !== "string")
            return unavailable(`${server} answered with status ${status} and no message.`);
        if (message.includes("/ui/api/") && code === "not_found") {
            return unavailable(`${server} does not show its episodes. Set server.ui to true in its configuration.`);
        }
        return isKnown(code) ? new ApiError(code, message) : unavailable(`${server} answered: ${message}`);
    }
}
function isKnown(code) {
    return typeof code === "string" && Object.hasOwn(CATALOGUE, code);
}
function unavailable(message, cause) {
    return new ApiError("upstream_unavailable", message, { cause });
}
//# sourceMappingURL=server-source.js.map