import type { FastifyBaseLogger } from "fastify";
import type { WeightMetrics } from "./weight-metrics.js";
import type { UpdateObserver } from "./weight-updates.js";
/** Returns an observer that logs and counts updates. */
export declare function observeUpdates(logger: FastifyBaseLogger, metrics: WeightMetrics): UpdateObserver;
