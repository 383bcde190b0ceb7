import type { AbortSource } from "./abort-source.js";
import { onAbort } from "./on-abort.js";

/**
 * Resolves after `milliseconds`. If the signal aborts first, rejects with the signal's own reason, where the timer of
 * `node:timers/promises` would reject with an `AbortError`.
 */
export async function sleep(milliseconds: number, signal?: AbortSource): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const slept = new Promise<void>((resolve, rejectAborted) => {
    reject = rejectAborted;
    timer = setTimeout(resolve, milliseconds);
  });
  using _listening = onAbort(signal, () => {
    clearTimeout(timer);
    reject(signal?.reason);
  });
  await slept;
}
