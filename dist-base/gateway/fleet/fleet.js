import { engineRecord } from "../../control/engine-schemas.js";
import { callWorker } from "../contact/call-worker.js";
import { noWorkerError } from "../forward.js";
import { parseReply } from "../relay.js";
import { workerRefusedError, workerSilentError } from "./failures.js";
import { identifyServer } from "./server-identity.js";
/**
 * Reads the engines of all workers, including workers that registered a moment ago.
 *
 * @returns `silent`: workers that were not down before and do not answer
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export async function readFleet(context, headers) {
    const { pool, upstream, controlMilliseconds } = context;
    await pool.discover();
    const workers = pool.all();
    const down = new Set(workers.filter(({ state }) => state === "down"));
    const call = { method: "GET", path: "/rl/engine", headers };
    const replies = await Promise.all(workers.map((worker) => callWorker(upstream, worker, call, controlMilliseconds)));
    const members = [];
    const absent = [];
    workers.forEach((worker, index) => {
        const reply = replies[index];
        if (!reply)
            absent.push(worker);
        else if (reply.status >= 300)
            throw workerRefusedError(worker, reply);
        else
            members.push(toMember(worker, reply));
    });
    for (const worker of absent)
        worker.state = "down";
    return { members, absent: absent.map(({ tag }) => tag), silent: absent.filter((worker) => !down.has(worker)) };
}
/**
 * Reads the engines of all workers before a change. A worker that was already down is left out.
 *
 * @throws ApiError if another worker does not answer, or if there is none
 */
export async function requireFleet(context, headers) {
    const { silent, ...fleet } = await readFleet(context, headers);
    const [first] = silent;
    if (first)
        throw workerSilentError(first, "No engine server was changed.");
    if (fleet.members.length === 0)
        throw noWorkerError();
    return fleet;
}
function toMember(worker, reply) {
    const { type, paused, servers } = parseReply(reply, engineRecord);
    return {
        worker,
        type,
        paused,
        servers: servers.map((record) => ({ identity: identifyServer(record.url, worker.url), record })),
    };
}
//# sourceMappingURL=fleet.js.map