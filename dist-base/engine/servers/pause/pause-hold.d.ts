import type { AbortSource } from "../../../support/async/abort-source.js";
import type { PauseMode } from "../../engine.js";
/** Holds requests back while their engine is paused. */
export declare class PauseHold {
    #private;
    /** The mode of the current pause; undefined if the engine is not paused. */
    get mode(): PauseMode | undefined;
    /** Number of pauses so far. */
    get pauses(): number;
    close(mode: PauseMode): void;
    open(): void;
    /** Resolves when requests may be sent. Rejects with the signal's reason if the signal aborts first. */
    pass(signal: AbortSource): Promise<void>;
}
