import { StepError, tryEach, } from "../../control/weights/weight-targets.js";
import { ApiError } from "../../http/errors.js";
import { workerSilentError } from "../fleet/failures.js";
import { normalizeUrl } from "../fleet/server-identity.js";
import { setVersion } from "../fleet/set-version.js";
import { noWorkerError } from "../forward.js";
import { callStep, mergeServers, readWeightFleet } from "./weight-fleet.js";
/** A pause ends when the last running generation was cut. Workers wait up to a minute for that. */
const PAUSE_TIMEOUT_MS = 75_000;
/** No time limit, as long as the worker is reachable. */
const UNLIMITED = Number.POSITIVE_INFINITY;
/** Interval at which workers that join or restart during an update are found, so that they hold their calls too. */
const JOIN_MS = 1_000;
/**
 * The engine servers of all workers, as the targets of weight updates. All workers hold their calls, and one worker of each
 * server takes the steps on it. If that worker dies, the next one that uses the server takes the step.
 */
export class FleetTargets {
    #context;
    /** The key of the client that called last. An update goes on with it after its client has disconnected. */
    #headers = {};
    #members = [];
    /** Workers that did not answer since the current call began, although they were not down before. */
    #silent = [];
    #target;
    #drained = [];
    #joins;
    constructor(context) {
        this.#context = context;
    }
    /** @param headers the key for the next calls */
    useKey(headers) {
        this.#headers = headers;
    }
    /** Stops looking for workers that join. */
    close() {
        clearInterval(this.#joins);
    }
    get version() {
        return this.#context.pool.newestVersion.version;
    }
    /** Returns the update that workers take part in; undefined if there is none. */
    async findUpdate() {
        this.#silent = await this.#read();
        const target = this.#members.find(({ update }) => update !== null)?.update;
        this.#target = target ?? undefined;
        return target ? { target, servers: mergeServers(this.#members) } : undefined;
    }
    async servers() {
        const silent = await this.#read();
        this.#silent = [...this.#silent, ...silent];
        if (this.#members.length === 0)
            throw noWorkerError();
        return mergeServers(this.#members);
    }
    spell(exclude, servers) {
        return exclude.map((url) => {
            const identity = normalizeUrl(url);
            if (servers.some((server) => server.url === identity))
                return identity;
            // The client may use a worker's own spelling, such as a loopback address. It must mean one server only.
            const matches = new Set(this.#members.flatMap((member) => [...member.servers].flatMap(([each, { url: own }]) => (normalizeUrl(own) === identity ? [each] : []))));
            const [match] = matches;
            return matches.size === 1 && match !== undefined ? match : url;
        });
    }
    async isPaused() {
        return this.#members.length > 0 && this.#members.every(({ paused }) => paused);
    }
    /** Every worker notes the update when it holds its calls. */
    async begin(target) {
        const [first] = [...this.#silent, ...(await this.#read())];
        // A repeated update goes on without silent workers: they hold their calls, and if they died, their calls ended with them.
        if (first && !this.#target)
            throw workerSilentError(first, "No engine server was changed.");
        this.#target = target;
    }
    async prepare(target) {
        await this.#onWorkers(() => ({ step: "prepare", target }), UNLIMITED);
    }
    async pause(urls, excluded) {
        this.#drained = excluded;
        await this.#holdAll();
        // Workers that an earlier attempt holds do not know of servers that only this attempt excludes.
        if (excluded.length > 0)
            await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, excluded) }));
        this.#joins ??= setInterval(() => void this.#holdAll().catch(() => undefined), JOIN_MS).unref();
        return tryEach(urls, (url) => this.#onServer(url, { step: "pause" }, PAUSE_TIMEOUT_MS));
    }
    async load(url, target, signal) {
        await this.#onServer(url, { step: "load", target }, undefined, signal);
    }
    async finish(url, _version, signal) {
        await this.#onServer(url, { step: "finish", target: this.#target }, undefined, signal);
    }
    async commit(version) {
        await this.#holdAll();
        const { status } = await setVersion(this.#context, this.#headers, { version });
        if (status >= 300)
            throw new ApiError("invalid_worker_reply", `A worker refused the version (HTTP ${status}).`);
    }
    resume(urls) {
        return tryEach(urls, (url) => this.#onServer(url, { step: "resume" }, PAUSE_TIMEOUT_MS));
    }
    async drain(urls) {
        this.#drained = [...this.#drained, ...urls];
        await this.#onWorkers((member) => ({ step: "drain", servers: spellFor(member, urls) }));
    }
    async release(servers, hold) {
        clearInterval(this.#joins);
        this.#joins = undefined;
        await this.#read();
        await this.#onWorkers((member) => {
            const known = servers.flatMap(({ url, version, path }) => {
                const own = member.servers.get(url);
                return own ? [{ url: own.url, version, path }] : [];
            });
            return { step: "release", known, hold };
        });
        this.#target = undefined;
        this.#drained = [];
    }
    /** The worker that takes a step on a server notes its result. */
    note() { }
    async #read() {
        const { members, silent } = await readWeightFleet(this.#context, this.#headers);
        this.#members = members;
        return silent;
    }
    /** Makes all workers hold their calls. Repeats this until no new worker has joined meanwhile. */
    async #holdAll() {
        const target = this.#target;
        if (!target)
            return;
        const held = new Set();
        for (;;) {
            await this.#read();
            const joined = this.#members.filter(({ worker, update, interrupted }) => (interrupted || !isSame(update, target)) && !held.has(worker.tag));
            if (joined.length === 0)
                return;
            for (const { worker } of joined)
                held.add(worker.tag);
            const step = (member) => {
                return { step: "hold", target, servers: spellFor(member, this.#drained) };
            };
            await this.#onWorkers(step, PAUSE_TIMEOUT_MS, joined);
        }
    }
    /**
     * Takes a step on all workers. A worker that does not answer has no calls that could reach an engine server.
     *
     * @throws ApiError of the first worker that refuses
     */
    async #onWorkers(step, milliseconds = this.#context.controlMilliseconds, members = this.#members) {
        const options = { headers: this.#headers, milliseconds: milliseconds === UNLIMITED ? undefined : milliseconds };
        const results = await Promise.allSettled(members.map(async (member) => {
            const reply = await callStep(this.#context, member.worker, step(member), options);
            if (!reply)
                member.worker.state = "down";
        }));
        const refused = results.find((result) => result.status === "rejected");
        if (refused)
            throw refused.reason;
    }
    /** Takes a step on one server, by one of its workers. @throws StepError */
    async #onServer(url, step, milliseconds, signal) {
        const options = { headers: this.#headers, milliseconds, ...(signal ? { signal } : {}) };
        const tags = new Set();
        for (;;) {
            const member = this.#members.find(({ worker, servers }) => servers.has(url) && !tags.has(worker.tag));
            if (!member)
                throw new StepError(unreachable(url));
            tags.add(member.worker.tag);
            const servers = spellFor(member, [url]);
            const reply = await callStep(this.#context, member.worker, { ...step, servers }, options).catch(throwStepError);
            if (signal?.aborted)
                throw signal.reason;
            const [failure] = reply?.failures ?? [];
            if (failure)
                throw new StepError(failure);
            if (reply)
                return;
            member.worker.state = "down";
        }
    }
}
/** Returns the addresses of servers in a worker's own spelling, without those that it does not use. */
function spellFor({ servers }, urls) {
    return urls.flatMap((url) => servers.get(url)?.url ?? []);
}
function isSame(update, { version, mode, path }) {
    return update?.version === version && update.mode === mode && update.path === path;
}
function unreachable(url) {
    return { message: `No worker of ${url} answers.`, unchanged: false, unreachable: true };
}
function throwStepError(error) {
    if (!(error instanceof ApiError))
        throw error;
    throw new StepError({ message: error.message, unchanged: false, unreachable: false });
}
//# sourceMappingURL=fleet-targets.js.map