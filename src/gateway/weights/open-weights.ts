import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { observeUpdates } from "../../admin-api/weights/observe-updates.js";
import type { WeightMetrics } from "../../admin-api/weights/weight-metrics.js";
import { WeightUpdates } from "../../admin-api/weights/weight-updates.js";
import type { GatewayContext } from "../context.js";
import { noWorkerError } from "../forward.js";
import { pickCredentials } from "../routing.js";
import { FleetTargets } from "./fleet-targets.js";
import { readWeightFleet } from "./weight-fleet.js";

/** The weight updates of a gateway. */
export interface GatewayWeights {
  readonly updates: WeightUpdates;
  /** Aborts when the gateway closes, so that no answer waits for an update. */
  readonly stopping: AbortSignal;
  /**
   * Prepares a call: has a worker check its key, and finds an update that this gateway does not know, because it was restarted.
   *
   * @throws ApiError if a worker refuses the key
   */
  prepare(request: FastifyRequest): Promise<void>;
  close(): void;
}

export interface GatewayWeightsOptions {
  readonly logger: FastifyBaseLogger;
  readonly metrics: WeightMetrics;
  /** True if the gateway has an admin key, and checks calls against it before {@link GatewayWeights.prepare}. */
  readonly checksKeys: boolean;
  /** The model that is updated; see {@link readWeightFleet}. */
  readonly model?: string | undefined;
}

export function openGatewayWeights(
  context: GatewayContext,
  { logger, metrics, checksKeys, model }: GatewayWeightsOptions,
): GatewayWeights {
  const targets = new FleetTargets(context, model);
  const updates = new WeightUpdates(targets, observeUpdates(logger, metrics));
  const stopping = new AbortController();
  return {
    updates,
    stopping: stopping.signal,
    async prepare(request) {
      const headers = pickCredentials(request);
      // Another gateway may have finished it meanwhile.
      if (targets.isForeign && !updates.isRunning) {
        updates.forget();
        targets.abandon();
      }
      if (updates.isActive) {
        const { members } = await readWeightFleet(context, headers, model);
        // Without an admin key of its own, the gateway needs a worker to check the client's key.
        if (members.length === 0 && !checksKeys) throw noWorkerError();
        return targets.useKey(headers);
      }
      targets.useKey(headers);
      const before = updates.started;
      const found = await targets.findUpdate();
      if (!found || updates.started !== before) return;
      const error = `The gateway was restarted during the weight update to version ${found.target.version}, or another gateway runs it.`;
      updates.interrupt({ target: found.target, error, mayRun: true }, found.servers);
    },
    close() {
      stopping.abort();
      targets.close();
    },
  };
}
