import type { AbortSource } from "./abort-source.js";
import { onAbort } from "./on-abort.js";

/**
 * Settles as `work` does, or rejects with the signal's reason if the signal aborts first. The work itself goes on: use this
 * for work that does not listen to the signal, and whose late result or error nobody needs.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSource | undefined): Promise<T> {
  let reject: (reason: unknown) => void = () => undefined;
  const aborted = new Promise<never>((_, rejectAborted) => (reject = rejectAborted));
  using _listening = onAbort(signal, () => reject(signal?.reason));
  return await Promise.race([work, aborted]);
}
