import { type StepFailures, type TargetServer, type UpdateTarget, type WeightTargets } from "../../control/weights/weight-targets.js";
import type { GatewayContext } from "../context.js";
import { type Headers } from "./weight-fleet.js";
/**
 * The engine servers of all workers, as the targets of weight updates. All workers hold their calls, and one worker of each
 * server takes the steps on it. If that worker dies, the next one that uses the server takes the step.
 */
export declare class FleetTargets implements WeightTargets {
    #private;
    constructor(context: GatewayContext);
    /** @param headers the key for the next calls */
    useKey(headers: Headers): void;
    /** Stops looking for workers that join. */
    close(): void;
    get version(): number;
    /** Returns the update that workers take part in; undefined if there is none. */
    findUpdate(): Promise<{
        target: UpdateTarget;
        servers: TargetServer[];
    } | undefined>;
    servers(): Promise<readonly TargetServer[]>;
    spell(exclude: readonly string[], servers: readonly TargetServer[]): string[];
    isPaused(): Promise<boolean>;
    /** Every worker notes the update when it holds its calls. */
    begin(target: UpdateTarget): Promise<void>;
    prepare(target: UpdateTarget): Promise<void>;
    pause(urls: readonly string[], excluded: readonly string[]): Promise<StepFailures>;
    load(url: string, target: UpdateTarget, signal: AbortSignal): Promise<void>;
    finish(url: string, _version: number, signal: AbortSignal): Promise<void>;
    commit(version: number): Promise<void>;
    resume(urls: readonly string[]): Promise<StepFailures>;
    drain(urls: readonly string[]): Promise<void>;
    release(servers: readonly TargetServer[], hold: boolean): Promise<void>;
    /** The worker that takes a step on a server notes its result. */
    note(): void;
}
