import { type LeasesSettings, type OpenLeases } from "./open-leases.js";
import type { JobProxySettings } from "./open-proxy.js";
import type { RolloutOptions } from "./rollout-options.js";
export interface WorkersSettings extends JobProxySettings, Pick<LeasesSettings, "proxy" | "adminKey" | "journal"> {
    readonly count: number;
}
/** Starts rollout workers on this machine, and what gives them tasks. Resolves when all are ready, so that they share the tasks. */
export declare function openWorkers(settings: WorkersSettings): Promise<OpenLeases>;
/** Returns the arguments that give another command the same agent. */
export declare function agentArguments({ agent, command }: RolloutOptions): string[];
