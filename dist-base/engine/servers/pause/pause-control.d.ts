import { type PauseMode, type ResumeOptions, type ServerFailures } from "../../engine.js";
import type { ServerPool } from "../pool/server-pool.js";
import { PauseHold } from "./pause-hold.js";
/** Pauses and resumes the servers of a pool, one request after another. */
export declare class PauseControl {
    #private;
    /** Holds calls back while the servers are paused. */
    readonly hold: PauseHold;
    constructor(pool: ServerPool);
    /** @param urls the servers to pause; default: all. Calls to the other servers wait too. */
    pause(mode: PauseMode, urls?: readonly string[]): Promise<void>;
    resume(options?: ResumeOptions): Promise<void>;
    /** Pauses servers for a weight update. Whatever fails, calls stay held and the other servers stay paused. */
    pauseEach(mode: PauseMode, urls: readonly string[]): Promise<ServerFailures>;
    /** Resumes servers after a weight update. Calls stay held until {@link release}. */
    resumeEach(urls: readonly string[]): Promise<ServerFailures>;
    /** Lets the held calls go on. */
    release(): Promise<void>;
}
