import type { FastifyBaseLogger } from "fastify";
import type { WeightMetrics } from "../../control/weights/weight-metrics.js";
import type { WeightTargets } from "../../control/weights/weight-targets.js";
import { WeightUpdates } from "../../control/weights/weight-updates.js";
import type { Engine } from "../../engine/engine.js";
import type { CurrentVersion } from "../current-version.js";
import type { ServerStorage } from "../storage/server-storage.js";
import { KnownWeights } from "./known-weights.js";
/** The weight updates of a server. */
export interface ServerWeights {
    readonly updates: WeightUpdates;
    readonly targets: WeightTargets;
    readonly known: KnownWeights;
}
interface WeightsOptions {
    readonly engine: Engine;
    readonly weightVersion: CurrentVersion;
    readonly storage?: ServerStorage | undefined;
    readonly metrics: WeightMetrics;
    readonly logger: FastifyBaseLogger;
}
/**
 * Opens the weight updates of a server, as they were before a restart. Returns undefined if the engine cannot load weights.
 *
 * An interrupted update of engine servers is restored as a failed one, which holds model calls. Servers with other weights than
 * those of the current version stay drained. The embedded engine loads the weights of the current version again.
 */
export declare function openWeights(options: WeightsOptions): Promise<ServerWeights | undefined>;
export {};
