import { AdminClient } from "../../client/admin-client.js";
import { HttpTransport } from "../../client/transport.js";
import { ControllerError } from "./errors.js";
/**
 * Accepted tasks that the trainer consumes together. Their sessions have ended, and keep their data until the export.
 */
export class RolloutBatch {
    /** In the order in which they were submitted. */
    tasks;
    /** The weight version at the time when the batch was complete. */
    version;
    #engine;
    #fields;
    /** @param fields default fields of the export */
    constructor(tasks, version, engine, fields) {
        this.tasks = tasks;
        this.version = version;
        this.#engine = engine;
        this.#fields = fields;
    }
    /** Session ids in the order of the tasks, and of the members of each group. */
    get sessionIds() {
        return this.tasks.flatMap(({ accepted }) => accepted.map(({ sessionId }) => sessionId));
    }
    /**
     * Exports all sessions as one safetensors block. If that fails, no session is exported, and it can be called again.
     */
    export(fields = {}, options = {}) {
        return this.#admin().exportBatch(this.sessionIds, { ...this.#fields, ...fields }, options);
    }
    /** Exports all sessions as files in shared memory. */
    exportShared(fields = {}, options = {}) {
        return this.#admin().exportSharedBatch(this.sessionIds, { ...this.#fields, ...fields }, options);
    }
    /** Frees the sessions without an export. */
    async discard(options = {}) {
        const admin = this.#admin();
        await Promise.all(this.sessionIds.map((id) => admin.deleteSession(id, options)));
    }
    #admin() {
        const urls = new Set(this.tasks.flatMap(({ accepted }) => accepted.map(({ url }) => url)));
        const [url = this.#engine.url] = urls;
        if (urls.size > 1) {
            const message = `The sessions of this batch are on several proxies: ${[...urls].join(", ")}. One call can export the sessions of one ` +
                "proxy only.";
            throw new ControllerError("several_proxies", message);
        }
        return new AdminClient(new HttpTransport(url, this.#engine.connections), this.#engine.adminKey);
    }
}
//# sourceMappingURL=rollout-batch.js.map