import type { AbortSource } from "./abort-source.js";
/**
 * Ends work early, as an AbortController does, and tells its listeners itself: an AbortSignal and one listener take 10 microseconds of a
 * model call. An AbortSignal is made only for code that needs one.
 */
export declare class AbortSwitch implements AbortSource {
    #private;
    get aborted(): boolean;
    get reason(): unknown;
    /** Aborts with the switch. */
    get signal(): AbortSignal;
    throwIfAborted(): void;
    /** Calls `listener` when the switch aborts. It aborts once, so a listener is called at most once. */
    addEventListener(_type: "abort", listener: () => void): void;
    removeEventListener(_type: "abort", listener: () => void): void;
    /** Has no effect after the first time. */
    abort(reason: unknown): void;
}
/** A limit of 0 would also mean unlimited, but undici reads the limit back, which fails on Node 20 if it is 0. */
export declare function setUnlimitedListeners(signal: AbortSignal): void;
