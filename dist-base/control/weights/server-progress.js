/** The progress of an update on one engine server. */
export class ServerProgress {
    url;
    draining;
    state = "pending";
    #version;
    #path;
    #seconds = null;
    #error = null;
    constructor({ url, version, path, draining }) {
        this.url = url;
        this.draining = draining;
        this.#version = version;
        this.#path = path;
    }
    get version() {
        return this.#version;
    }
    get target() {
        return { url: this.url, version: this.#version, path: this.#path, draining: this.draining };
    }
    get error() {
        return this.#error;
    }
    /** False if the update leaves the server out. */
    get takesPart() {
        return this.state !== "excluded";
    }
    has(version, path) {
        return path !== null && this.#version === version && this.#path === path;
    }
    exclude(error = null) {
        this.state = "excluded";
        this.#error = error;
    }
    /** Notes that the server begins to load. Its weights are unknown until {@link loaded}. */
    loading() {
        this.state = "loading";
        this.#error = null;
    }
    loaded(version, path, seconds) {
        this.state = "loaded";
        this.#version = version;
        this.#path = path;
        this.#seconds = seconds;
        this.#error = null;
    }
    fail({ message, unchanged }) {
        this.state = "failed";
        this.#error = message;
        if (unchanged)
            return;
        this.#version = null;
        this.#path = null;
    }
    toRecord() {
        return {
            url: this.url,
            version: this.#version,
            state: this.state,
            seconds: this.#seconds,
            error: this.#error,
        };
    }
}
//# sourceMappingURL=server-progress.js.map