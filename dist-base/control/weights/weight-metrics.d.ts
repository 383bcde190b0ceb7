import { type Registry } from "prom-client";
import type { UpdateOutcome } from "./weight-updates.js";
/** Metrics of weight updates. */
export declare class WeightMetrics {
    #private;
    /** @param prefix of the names, which differ between servers and gateways */
    constructor(registry: Registry, prefix: "rolltape" | "rolltape_gateway");
    /** @param pausedSeconds undefined while calls are still held */
    count(outcome: UpdateOutcome, pausedSeconds: number | undefined): void;
}
