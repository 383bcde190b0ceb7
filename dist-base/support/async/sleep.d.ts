import type { AbortSource } from "./abort-source.js";
/**
 * Resolves after `milliseconds`. If the signal aborts first, rejects with the signal's own reason, where the timer of
 * `node:timers/promises` would reject with an `AbortError`.
 */
export declare function sleep(milliseconds: number, signal?: AbortSource): Promise<void>;
