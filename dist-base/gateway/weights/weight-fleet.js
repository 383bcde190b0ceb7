import { stepReply } from "../../control/weights/weight-steps.js";
import { callWorker } from "../contact/call-worker.js";
import { workerRefusedError } from "../fleet/failures.js";
import { identifyServer } from "../fleet/server-identity.js";
import { parseReply } from "../relay.js";
/** The name that a worker gives to an engine in its own process. */
const EMBEDDED = "embedded";
/** Best first. */
const SOURCES = ["update", "known", "assumed"];
/** Calls one step on a worker. Returns undefined if the worker does not answer. */
export async function callStep({ upstream }, worker, step, { headers, milliseconds, signal }) {
    const call = { path: "/rl/weights/step", headers, body: step, ...(signal ? { signal } : {}) };
    const reply = await callWorker(upstream, worker, call, milliseconds);
    if (!reply)
        return undefined;
    if (reply.status >= 300)
        throw workerRefusedError(worker, reply);
    return parseReply(reply, stepReply);
}
/**
 * Reads the engine servers of all workers, including workers that registered a moment ago.
 *
 * @returns `silent`: workers that do not answer, although they were not down before
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export async function readWeightFleet(context, headers) {
    const { pool, controlMilliseconds } = context;
    await pool.discover();
    const workers = pool.all();
    const down = new Set(workers.filter(({ state }) => state === "down"));
    const options = { headers, milliseconds: controlMilliseconds };
    const replies = await Promise.all(workers.map((worker) => callStep(context, worker, { step: "list" }, options)));
    const members = [];
    const silent = [];
    workers.forEach((worker, index) => {
        const reply = replies[index];
        if (reply)
            members.push(toMember(worker, reply));
        else {
            if (!down.has(worker))
                silent.push(worker);
            worker.state = "down";
        }
    });
    return { members, silent };
}
/** Returns the servers of all workers, each once. */
export function mergeServers(members) {
    const identities = new Set(members.flatMap(({ servers }) => [...servers.keys()]));
    return [...identities].map((url) => {
        const uses = members.flatMap(({ servers }) => servers.get(url) ?? []);
        // The worker that made the server load knows best. A worker that joined later only assumes the version.
        const best = SOURCES.find((each) => uses.some(({ source }) => source === each));
        const [first, ...others] = uses.filter(({ source }) => source === best);
        const agree = others.every(({ version, path }) => version === first?.version && path === first.path);
        return {
            url,
            version: agree && first ? first.version : null,
            path: agree && first ? first.path : null,
            draining: uses.every(({ draining }) => draining),
        };
    });
}
function toMember(worker, { servers, update, interrupted, paused }) {
    const byIdentity = new Map(servers.map((server) => [identify(server.url, worker), server]));
    return { worker, servers: byIdentity, update, interrupted, paused };
}
/** An engine in a worker's process is named after the worker. */
function identify(url, { url: workerUrl, tag }) {
    return url === EMBEDDED ? `${EMBEDDED}/${tag}` : identifyServer(url, workerUrl);
}
//# sourceMappingURL=weight-fleet.js.map