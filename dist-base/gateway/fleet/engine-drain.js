import { serverRecord } from "../../control/engine-schemas.js";
import { ApiError } from "../../http/errors.js";
import { parseReply } from "../relay.js";
import { requireFleet } from "./fleet.js";
import { groupByServer } from "./merge-engines.js";
import { identifyServer, normalizeUrl } from "./server-identity.js";
import { findFailure, isSuccess, WorkerCalls } from "./worker-calls.js";
const DRAIN = "/rl/engine/drain";
const RESTORE = "/rl/engine/restore";
/** Drains or restores one engine server on all workers that use it, or on none of them. */
export class EngineDrain {
    #context;
    #headers;
    #calls;
    /** @param headers the client's key */
    constructor(context, headers) {
        this.#context = context;
        this.#headers = headers;
        this.#calls = new WorkerCalls(context, headers);
    }
    /** @param seconds how long to wait until no worker has a request on the server */
    async drain(url, seconds) {
        const server = await this.#find(url);
        const drained = await this.#change(server, DRAIN);
        return seconds > 0 ? this.#wait(drained, seconds) : drained;
    }
    async restore(url) {
        return this.#change(await this.#find(url), RESTORE);
    }
    async #find(url) {
        const fleet = await requireFleet(this.#context, this.#headers);
        const servers = groupByServer(fleet.members);
        const identity = normalizeUrl(url);
        const uses = servers.get(identity);
        if (uses)
            return { identity, uses, absent: fleet.absent };
        // The client may use a worker's own spelling, such as a loopback address. It must mean one server only.
        const matches = [...servers].filter(([, candidates]) => candidates.some(({ record }) => normalizeUrl(record.url) === identity));
        const [match] = matches;
        if (match && matches.length === 1)
            return { identity: match[0], uses: match[1], absent: fleet.absent };
        throw unknownServer(url, fleet);
    }
    /** Calls all workers. If one fails, the server gets its former state back on the others. */
    async #change(server, path) {
        const outcomes = await this.#call(server.uses, path, {}, this.#context.controlMilliseconds);
        const failure = findFailure(outcomes, `The server is not ${path === DRAIN ? "drained" : "restored"} on any worker.`);
        if (!failure)
            return { ...server, uses: updateUses(server.uses, outcomes) };
        const wasDraining = path === RESTORE;
        const changed = server.uses.filter(({ record }) => (record.state === "draining") === wasDraining);
        await this.#call(changed, wasDraining ? DRAIN : RESTORE, {}, this.#context.controlMilliseconds);
        throw failure;
    }
    async #wait(drained, seconds) {
        const limit = Math.ceil(seconds * 1000) + this.#context.controlMilliseconds;
        const outcomes = await this.#call(drained.uses, DRAIN, { wait_seconds: seconds }, limit);
        const failure = findFailure(outcomes, "The server stays drained on all other workers.");
        if (failure)
            throw failure;
        return { ...drained, uses: updateUses(drained.uses, outcomes) };
    }
    #call(uses, path, body, limit) {
        const calls = uses.map(({ member, record: { url } }) => ({ member, body: { ...body, url } }));
        return this.#calls.call(path, calls, limit);
    }
}
/** Returns the uses with the server records of the workers' replies. */
function updateUses(uses, outcomes) {
    return uses.map((use, index) => {
        const outcome = outcomes[index];
        if (!outcome?.reply || !isSuccess(outcome))
            return use;
        const record = parseReply(outcome.reply, serverRecord);
        return { member: use.member, identity: identifyServer(record.url, use.member.worker.url), record };
    });
}
function unknownServer(url, { members }) {
    const urls = [...groupByServer(members).keys()].join(", ");
    const message = `\`url\` must be the address of an engine server: ${urls}; received ${url.slice(0, 200)}.`;
    return new ApiError("engine_server_not_found", message, { param: "url" });
}
//# sourceMappingURL=engine-drain.js.map