import type { CallOptions } from "../../client/proxy-calls.js";
import type { NewWeights, WeightsOptions } from "../../client/weight-calls.js";
import type { RolloutEngine } from "../contract.js";
/**
 * The weight version that is announced to the proxy. The proxy assigns it to tokens of engines that report no version.
 */
export declare class AnnouncedVersion {
    #private;
    /** @param initial version to announce before any task may start; undefined if the proxy already has the right one */
    constructor(engine: RolloutEngine, initial: number | undefined);
    /** True if no version has to be announced before tasks may start. */
    get settled(): boolean;
    /**
     * Announces the initial version once, however many callers wait for it. After a failure, the next call tries again.
     */
    settle(): Promise<void>;
    announce(version: number, options?: CallOptions): Promise<void>;
    /** Has the proxy load weights, which also sets the version. */
    load(weights: NewWeights, options: WeightsOptions): Promise<void>;
}
