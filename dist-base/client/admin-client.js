import { z } from "zod";
import { readKeyTag } from "../session/worker-tag.js";
import { sessionTranscript } from "../transcript/schema.js";
import { ProxyError } from "./errors.js";
import { toInteractions } from "./interactions.js";
import { ProxyCalls } from "./proxy-calls.js";
import { proxyUrl } from "./transport.js";
import { WeightCalls } from "./weight-calls.js";
import { trajectoriesReply } from "./wire-interaction.js";
const capacityReply = z.object({ capacity: z.int() });
const startReply = z.object({ session_id: z.string(), session_api_key: z.string(), base_url: z.url().optional() });
const leaseReply = z.object({
    sessions: z.array(z.object({ session_id: z.string(), lease_id: z.string().nullish() })),
    unavailable_workers: z.array(z.string()).optional(),
});
const versionReply = z.object({ version: z.int() });
const sharedFile = z
    .object({ id: z.string(), path: z.string(), byte_length: z.int() })
    .transform(({ id, path, byte_length }) => ({ id, path, byteLength: byte_length }));
const sharedReply = z.union([
    z.object({ shards: z.array(sharedFile) }).transform(({ shards }) => shards),
    sharedFile.transform((file) => [file]),
]);
const EXPORT_PATH = "/export_batch";
/** Answer header with the id of a held batch. */
const EXPORT_ID = "x-rolltape-export-id";
const EXPORT_TIMEOUT_SECONDS = 600;
/** Longer than the repetitions take if a gateway waits for a worker meanwhile: almost 60 s with its defaults. */
const ACKNOWLEDGE_TIMEOUT_SECONDS = 90;
function transcriptCall(sessionId, discount, options) {
    const path = `/rl/sessions/${encodeURIComponent(sessionId)}/transcript?discount=${discount}`;
    return { method: "GET", path, idempotent: true, ...options };
}
/** The trainer's calls to a proxy. Each throws a {@link ProxyError} if it fails. */
export class AdminClient {
    transport;
    #calls;
    #weights;
    constructor(transport, adminKey) {
        this.transport = transport;
        this.#calls = new ProxyCalls(transport, adminKey);
        this.#weights = new WeightCalls(this.#calls);
    }
    /** Adds slots and returns the number of free ones. */
    async grantCapacity(slots = 1, options = {}) {
        const call = { path: "/grant_capacity", body: { slots }, idempotent: false, ...options };
        return (await this.#calls.json(call, capacityReply)).capacity;
    }
    /**
     * Starts a session, which takes a slot. If a gateway returns the address of the worker, this probes the worker there, once for
     * all its sessions.
     *
     * @throws ProxyError `no_capacity` if no slot is free
     */
    async startSession({ taskId, groupId, leaseId, apiKey, ...options } = {}) {
        const body = { task_id: taskId, group_id: groupId, lease_id: leaseId, api_key: apiKey };
        const call = { path: "/rl/start_session", body, idempotent: false, ...options };
        const { session_id, session_api_key, base_url } = await this.#calls.json(call, startReply);
        const baseUrl = base_url === undefined ? undefined : await this.#checkAddress(base_url, session_api_key);
        return { sessionId: session_id, sessionApiKey: session_api_key, baseUrl };
    }
    /** Sets the weight version of tokens from engines that report none. */
    async setVersion(version, options = {}) {
        await this.#calls.json({ path: "/rl/set_version", body: { version }, idempotent: true, ...options }, versionReply);
    }
    /**
     * Loads new weights into the engine: calls are held, every engine server loads once, the version is set, calls go on. With
     * `external`, resolves when everything is paused; push the weights to the engine servers and call {@link finishWeights}.
     *
     * @throws ProxyError `weights_failed` if it failed. Calls are held: repeat the update, exclude a server or give up.
     */
    updateWeights(weights, options = {}) {
        return this.#weights.update(weights, options);
    }
    /** Finishes an external update: flushes the caches, sets the version, lets calls go on. */
    finishWeights(version, options = {}) {
        return this.#weights.finish(version, options);
    }
    /** Gives up an update: servers with known weights go on, the others are drained. */
    abandonWeights(options = {}) {
        return this.#weights.giveUp(options);
    }
    /** Returns the weights of the engine servers, and the progress of an update. */
    weights(options = {}) {
        return this.#weights.status(options);
    }
    /** Aborts the session's calls, revokes its key and frees its data. Returns false if there is no such session. */
    async deleteSession(sessionId, options = {}) {
        return this.#delete({ path: `/rl/sessions/${encodeURIComponent(sessionId)}`, ...options }, "session_not_found");
    }
    /**
     * Returns the messages, answers and rewards of one session, without tokens: untrusted text. The session may be active, ended, or
     * exported and retained.
     *
     * @throws ProxyError `session_not_found`; `session_exported` or `session_expired` if its data was freed
     */
    async transcript(sessionId, { discount = 1 } = {}, options = {}) {
        return this.#calls.json(transcriptCall(sessionId, discount, options), sessionTranscript);
    }
    /** {@link transcript} as the bytes of the answer, for programs that write it elsewhere. */
    async transcriptBytes(sessionId, { discount = 1 } = {}, options = {}) {
        return this.#calls.bytes(transcriptCall(sessionId, discount, options));
    }
    /**
     * Deletes the active sessions of a lease, also those that its rollout worker did not announce to the controller.
     *
     * @returns their number
     * @throws ProxyError `worker_unavailable` if a worker behind a gateway did not answer; it may have more of them
     */
    async deleteLease(leaseId, options = {}) {
        const path = `/rl/sessions?state=active&lease_id=${encodeURIComponent(leaseId)}`;
        const call = { method: "GET", path, idempotent: true, ...options };
        const { sessions, unavailable_workers: absent = [] } = await this.#calls.json(call, leaseReply);
        // A proxy of an earlier version ignores the filter and lists all sessions.
        const own = sessions.filter(({ lease_id }) => lease_id === leaseId);
        for (const { session_id } of own)
            await this.deleteSession(session_id, options);
        if (absent.length === 0)
            return own.length;
        throw new ProxyError("worker_unavailable", `Workers ${absent.join(", ")} did not list their sessions.`);
    }
    /** Returns what one session recorded. The session must have ended, or end within `wait_seconds`. */
    async exportTrajectories(sessionId, fields = {}, options = {}) {
        const body = { session_id: sessionId, ...fields };
        const call = { path: "/export_trajectories", body, idempotent: true, ...withExportTimeout(fields, options) };
        return toInteractions(await this.#calls.json(call, trajectoriesReply));
    }
    /** Exports sessions as one safetensors block: all of them, or none. */
    async exportBatch(sessionIds, fields = {}, options = {}) {
        const body = { session_ids: sessionIds, ...fields, transport: "body" };
        return this.#calls.bytes({ path: "/export_batch", body, idempotent: true, ...withExportTimeout(fields, options) });
    }
    /**
     * Exports sessions like {@link exportBatch}, but the proxy keeps them until you call {@link acknowledge}. If you do not within
     * `lease_seconds`, they can be exported again.
     */
    async exportHeldBatch(sessionIds, fields = {}, options = {}) {
        const { headers, body } = await this.#calls.reply(heldBatchCall(sessionIds, fields, options));
        return { id: readExportId(headers), bytes: body };
    }
    /**
     * Exports sessions like {@link exportHeldBatch}, but passes the batch to `receive` while it arrives, so it need not fit in memory. If the
     * connection breaks or `receive` rejects, the batch is requested again a few times. A {@link ProxyError} is thrown at once.
     */
    async receiveHeldBatch(sessionIds, fields, receive, options = {}) {
        return this.#calls.receive(heldBatchCall(sessionIds, fields, options), async ({ headers, body }) => {
            const id = readExportId(headers);
            const length = headers["content-length"];
            const byteLength = length === undefined ? undefined : Number(length);
            return { id, received: await receive({ byteLength, body }) };
        });
    }
    /** Exports sessions as files in shared memory: one file, or one for each shard. */
    async exportSharedBatch(sessionIds, fields = {}, options = {}) {
        const body = { session_ids: sessionIds, ...fields, transport: "shm" };
        const call = { path: "/export_batch", body, idempotent: false, ...withExportTimeout(fields, options) };
        return this.#calls.json(call, sharedReply);
    }
    /**
     * Tells the proxy that you have stored or read a batch. The proxy then frees the sessions of a held batch, and reuses the
     * memory of a shared one.
     *
     * @returns false if the batch was acknowledged before, or if it is shared and its lease has ended
     * @throws ProxyError `export_lease_ended` if the lease of a held batch has ended, so that its sessions can be exported again
     * @throws ProxyError `worker_unavailable` if a worker behind a gateway does not answer several attempts. Acknowledge the batch
     * again later.
     */
    async acknowledge(batchId, options = {}) {
        const path = `/export_batch/${encodeURIComponent(batchId)}`;
        const call = { path, repeatIfUnavailable: true, timeoutSeconds: ACKNOWLEDGE_TIMEOUT_SECONDS, ...options };
        return this.#delete(call, "batch_not_found");
    }
    /** Returns the address for the client's calls if the worker that the key names answers there, else undefined. */
    async #checkAddress(address, key) {
        const url = proxyUrl(address);
        const tag = readKeyTag(key);
        return tag !== undefined && (await this.transport.reachesWorker?.(url, tag)) ? url : undefined;
    }
    async #delete(call, absent) {
        try {
            await this.#calls.bytes({ ...call, method: "DELETE", idempotent: true });
            return true;
        }
        catch (error) {
            if (error instanceof ProxyError && error.code === absent)
                return false;
            throw error;
        }
    }
}
function heldBatchCall(sessionIds, fields, options) {
    const body = { session_ids: sessionIds, ...fields, transport: "body", acknowledge: true };
    return { path: EXPORT_PATH, body, idempotent: true, ...withExportTimeout(fields, options) };
}
/** @throws ProxyError `invalid_reply` */
function readExportId(headers) {
    const id = headers[EXPORT_ID];
    if (typeof id === "string")
        return id;
    throw new ProxyError("invalid_reply", `${EXPORT_PATH} answered with a batch, but without the header ${EXPORT_ID}.`);
}
/** Adds a time limit that allows for packing, sending and the waits that the export asks for. */
function withExportTimeout({ wait_seconds = 0, drain_seconds = 0 }, options) {
    return { timeoutSeconds: EXPORT_TIMEOUT_SECONDS + wait_seconds + drain_seconds, ...options };
}
//# sourceMappingURL=admin-client.js.map