import { z } from "zod";
import { untilAborted } from "../support/async/until-aborted.js";
/** If a worker does not answer within this time, its calls go through the gateway. */
const PROBE_TIMEOUT_MS = 3_000;
const healthReply = z.object({ worker: z.object({ tag: z.string() }) });
/** The outcomes of probes by address and tag. Episodes share their connections, so each worker is probed once. */
const probesOf = new WeakMap();
/**
 * Returns true if the worker with this tag answers at the address. A gateway returns the address that it uses itself. From another
 * machine, this address may be unreachable or belong to another worker.
 */
export function reachesWorker(connections, address, tag) {
    const probes = probesOf.get(connections) ?? new Map();
    probesOf.set(connections, probes);
    const name = `${tag} ${address}`;
    const probe = probes.get(name) ?? hasTag(connections, address, tag);
    probes.set(name, probe);
    return probe;
}
async function hasTag(connections, address, tag) {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    try {
        const answer = connections.request(`${address}/health`, { method: "GET", headers: {}, signal });
        // The status is not checked: a worker has the session even if its engine is unavailable at the moment. `untilAborted` is
        // needed because undici ignores the signal while it opens a connection.
        const { body } = await untilAborted(answer, signal);
        return healthReply.parse(JSON.parse(Buffer.from(body).toString())).worker.tag === tag;
    }
    catch {
        return false;
    }
}
//# sourceMappingURL=worker-probes.js.map