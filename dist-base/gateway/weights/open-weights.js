import { observeUpdates } from "../../control/weights/observe-updates.js";
import { WeightUpdates } from "../../control/weights/weight-updates.js";
import { noWorkerError } from "../forward.js";
import { pickCredentials } from "../routing.js";
import { FleetTargets } from "./fleet-targets.js";
import { readWeightFleet } from "./weight-fleet.js";
export function openWeights(context, { logger, metrics, checksKeys }) {
    const targets = new FleetTargets(context);
    const updates = new WeightUpdates(targets, observeUpdates(logger, metrics));
    const stopping = new AbortController();
    return {
        updates,
        stopping: stopping.signal,
        async prepare(request) {
            const headers = pickCredentials(request);
            if (updates.isActive) {
                const { members } = await readWeightFleet(context, headers);
                // Without an admin key of its own, the gateway needs a worker to check the client's key.
                if (members.length === 0 && !checksKeys)
                    throw noWorkerError();
                return targets.useKey(headers);
            }
            targets.useKey(headers);
            const before = updates.started;
            const found = await targets.findUpdate();
            if (!found || updates.started !== before)
                return;
            const error = `The gateway was restarted during the weight update to version ${found.target.version}, or another gateway runs it.`;
            updates.interrupt({ target: found.target, error }, found.servers);
        },
        close() {
            stopping.abort();
            targets.close();
        },
    };
}
//# sourceMappingURL=open-weights.js.map