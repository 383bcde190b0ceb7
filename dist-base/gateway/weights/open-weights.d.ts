import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import type { WeightMetrics } from "../../control/weights/weight-metrics.js";
import { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { GatewayContext } from "../context.js";
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
interface WeightsOptions {
    readonly logger: FastifyBaseLogger;
    readonly metrics: WeightMetrics;
    /** True if the gateway has an admin key, and checks calls against it before {@link GatewayWeights.prepare}. */
    readonly checksKeys: boolean;
}
export declare function openWeights(context: GatewayContext, { logger, metrics, checksKeys }: WeightsOptions): GatewayWeights;
export {};
