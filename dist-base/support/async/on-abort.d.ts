import type { AbortSource } from "./abort-source.js";
/**
 * Calls `listener` when the signal aborts, and immediately if it is already aborted.
 *
 * @returns a handle that removes the listener. Dispose it when the work is done, because a signal may outlive it by hours.
 */
export declare function onAbort(signal: AbortSource | undefined, listener: () => void): Disposable;
