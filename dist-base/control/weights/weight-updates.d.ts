import { ApiError } from "../../http/errors.js";
import type { TargetServer, UpdateTarget, WeightTargets } from "./weight-targets.js";
import type { WeightsRecord } from "./weights-schemas.js";
export type UpdateOutcome = "succeeded" | "failed" | "given_up";
export interface UpdateObserver {
    began(record: WeightsRecord): void;
    /** @param error why it failed */
    ended(outcome: UpdateOutcome, record: WeightsRecord): void;
}
/** An update that a restart interrupted. */
export interface InterruptedUpdate {
    readonly target: UpdateTarget;
    readonly error: string;
}
/**
 * Weight updates of one server or gateway, one at a time.
 *
 * An update goes on if its client disconnects. One that failed stays until it is repeated or given up, and holds model calls
 * meanwhile: tokens of servers with different weights must not get the same version.
 */
export declare class WeightUpdates {
    #private;
    constructor(targets: WeightTargets, observer: UpdateObserver);
    /** Number of updates so far. */
    get started(): number;
    /** True from the beginning of an update until calls go on. */
    get isActive(): boolean;
    get isRunning(): boolean;
    record(): Promise<WeightsRecord>;
    /**
     * Begins an update, or joins the same one if it is running. Returns once it runs; {@link settle} waits for it.
     *
     * @throws ApiError `weights_busy` if an update with another target is running or unfinished
     */
    start(target: UpdateTarget, exclude: readonly string[]): Promise<void>;
    /**
     * Finishes an external update: flushes caches, sets the version, resumes.
     *
     * @throws ApiError `no_weight_update` if there is no external update to finish
     */
    finish(version: number, exclude: readonly string[]): Promise<void>;
    /**
     * Gives up the update: servers with the previous version go on; if there are none, those with the new version. The others
     * are drained.
     *
     * @throws ApiError `weights_failed` if no server has known weights
     */
    giveUp(): Promise<void>;
    /** Waits until the update stops running, at most for this time. Returns false if it is still running. */
    settle(seconds: number, signal: AbortSignal): Promise<boolean>;
    /** Restores an update that a restart interrupted, as a failed one. */
    interrupt({ target, error }: InterruptedUpdate, servers: readonly TargetServer[]): void;
    /** Forgets a failed update, because a gateway has updated the weights since. */
    forget(): void;
    /** Returns the error of the last update, with the record. */
    failedError(message: string): Promise<ApiError>;
    /** Says why calls are held and what to do; undefined if no update holds any. */
    describeHold(): string | undefined;
    /** @throws ApiError `weights_busy` while an update is active, for calls that would interfere with it */
    requireNone(): void;
}
/** Says that an update holds calls, and what ends it. */
export declare function describeHold({ version, mode }: UpdateTarget, state: string): string;
