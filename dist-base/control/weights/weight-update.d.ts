import { PauseClock } from "./pause-clock.js";
import { ServerProgress } from "./server-progress.js";
import { type TargetServer, type UpdateTarget, type WeightTargets } from "./weight-targets.js";
import type { UpdateState, WeightsRecord } from "./weights-schemas.js";
/** An update that stopped at a step. Everything stays as it is then: calls are held and servers are paused. */
export declare class UpdateFailure extends Error {
}
interface UpdateOptions {
    readonly target: UpdateTarget;
    readonly servers: readonly TargetServer[];
    readonly excluded: readonly string[];
    /** Calls stay held afterwards, because the engine was paused before the update. */
    readonly leavePaused: boolean;
    readonly startedAt?: number | undefined;
    /** The clock of the previous attempt, which also held calls. */
    readonly clock?: PauseClock | undefined;
}
/** One attempt to update the weights of all engine servers: pause, load, flush, set the version, resume. */
export declare class WeightUpdate {
    #private;
    readonly target: UpdateTarget;
    readonly servers: readonly ServerProgress[];
    readonly leavePaused: boolean;
    readonly startedAt: number;
    readonly clock: PauseClock;
    /** True once every server was paused, or may have been before a restart: a trainer may push weights. */
    wasPaused: boolean;
    /** Calls may be held. False if the update failed before it changed anything. */
    holdsCalls: boolean;
    state: UpdateState;
    error: string | null;
    constructor(targets: WeightTargets, { target, servers, excluded, leavePaused, startedAt, clock }: UpdateOptions);
    get excluded(): string[];
    exclude(urls: readonly string[]): void;
    /** Ends the wait for servers that load, or keeps all servers from loading if none has begun. The update then fails. */
    cancel(): void;
    /** Prepares and pauses. @throws UpdateFailure */
    pause(): Promise<void>;
    /** Loads the weights from the path on all servers that do not have them. @throws UpdateFailure */
    load(): Promise<void>;
    /** Flushes the caches of servers to which a trainer has pushed weights. @throws UpdateFailure */
    finish(): Promise<void>;
    /** Makes the version current, resumes the servers and lets calls go on. @throws UpdateFailure */
    resume(): Promise<void>;
    /** Notes the end of the update and lets calls go on. */
    end(): Promise<void>;
    fail(error: unknown): void;
    toRecord(version: number): WeightsRecord;
}
export {};
