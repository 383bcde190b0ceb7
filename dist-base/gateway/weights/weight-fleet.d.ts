import { type StepBody, type StepReply } from "../../control/weights/weight-steps.js";
import type { TargetServer, UpdateTarget } from "../../control/weights/weight-targets.js";
import type { GatewayContext } from "../context.js";
import type { Worker } from "../worker-pool.js";
export type Headers = Readonly<Record<string, string>>;
type ListedServer = StepReply["servers"][number];
/** A worker, and its engine servers by identity. */
export interface WeightMember {
    readonly worker: Worker;
    readonly servers: ReadonlyMap<string, ListedServer>;
    /** The update that the worker takes part in. */
    readonly update: UpdateTarget | null;
    /** The worker was restarted during that update. */
    readonly interrupted: boolean;
    readonly paused: boolean;
}
/** Calls one step on a worker. Returns undefined if the worker does not answer. */
export declare function callStep({ upstream }: Pick<GatewayContext, "upstream">, worker: Worker, step: Partial<StepBody> & Pick<StepBody, "step">, { headers, milliseconds, signal }: {
    headers: Headers;
    milliseconds?: number | undefined;
    signal?: AbortSignal;
}): Promise<StepReply | undefined>;
/**
 * Reads the engine servers of all workers, including workers that registered a moment ago.
 *
 * @returns `silent`: workers that do not answer, although they were not down before
 * @throws ApiError if a worker returns an error, for example because of the key
 */
export declare function readWeightFleet(context: GatewayContext, headers: Headers): Promise<{
    readonly members: readonly WeightMember[];
    readonly silent: readonly Worker[];
}>;
/** Returns the servers of all workers, each once. */
export declare function mergeServers(members: readonly WeightMember[]): TargetServer[];
export {};
