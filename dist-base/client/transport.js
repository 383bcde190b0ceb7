import { reachesWorker } from "./worker-probes.js";
/** A proxy behind a URL. */
export class HttpTransport {
    #url;
    #connections;
    constructor(url, connections) {
        this.#url = proxyUrl(url);
        this.#connections = connections;
    }
    send(path, request) {
        return this.#connections.request(this.#url + path, request);
    }
    open(path, request) {
        return this.#connections.open(this.#url + path, request);
    }
    reachesWorker(address, tag) {
        return reachesWorker(this.#connections, address, tag);
    }
}
/** Returns the address to which paths of the proxy are appended: without query, trailing slashes and `/v1`. */
export function proxyUrl(address) {
    const { origin, pathname } = new URL(address);
    return origin + pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
}
//# sourceMappingURL=transport.js.map