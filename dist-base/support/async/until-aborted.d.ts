import type { AbortSource } from "./abort-source.js";
/**
 * Settles as `work` does, or rejects with the signal's reason if the signal aborts first. The work itself goes on: use this
 * for work that does not listen to the signal, and whose late result or error nobody needs.
 */
export declare function untilAborted<T>(work: Promise<T>, signal: AbortSource | undefined): Promise<T>;
