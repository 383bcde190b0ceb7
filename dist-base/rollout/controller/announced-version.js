import { AdminClient } from "../../client/admin-client.js";
import { HttpTransport } from "../../client/transport.js";
/**
 * The weight version that is announced to the proxy. The proxy assigns it to tokens of engines that report no version.
 */
export class AnnouncedVersion {
    #engine;
    #initial;
    #announcing;
    /** @param initial version to announce before any task may start; undefined if the proxy already has the right one */
    constructor(engine, initial) {
        this.#engine = engine;
        this.#initial = initial;
    }
    /** True if no version has to be announced before tasks may start. */
    get settled() {
        return this.#initial === undefined;
    }
    /**
     * Announces the initial version once, however many callers wait for it. After a failure, the next call tries again.
     */
    async settle() {
        if (this.#initial === undefined)
            return;
        this.#announcing ??= this.#send(this.#initial, {}).finally(() => (this.#announcing = undefined));
        await this.#announcing;
    }
    async announce(version, options = {}) {
        // The initial version, if it is being sent, must not arrive after this one.
        await this.#announcing?.catch(() => { });
        await this.#send(version, options);
    }
    /** Has the proxy load weights, which also sets the version. */
    async load(weights, options) {
        await this.#announcing?.catch(() => { });
        await this.#admin.updateWeights(weights, options);
        this.#initial = undefined;
    }
    get #admin() {
        const { url, connections, adminKey } = this.#engine;
        return new AdminClient(new HttpTransport(url, connections), adminKey);
    }
    async #send(version, options) {
        await this.#admin.setVersion(version, options);
        this.#initial = undefined;
    }
}
//# sourceMappingURL=announced-version.js.map