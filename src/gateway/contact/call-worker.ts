import type { WorkerConnections, WorkerReply, WorkerRequest } from "../worker-connections.js";
import type { Worker } from "../worker-pool.js";

/**
 * Calls a worker and returns its whole reply, or undefined if it does not answer. Does not call an unreachable worker, and ends
 * the call if the worker becomes unreachable.
 *
 * @param milliseconds time limit of a call that a worker answers at once. Without it, the call may take any time as long as the
 *   worker is reachable.
 */
export async function callWorker(
  upstream: WorkerConnections,
  { url, contact }: Worker,
  call: WorkerRequest,
  milliseconds?: number,
): Promise<WorkerReply | undefined> {
  if (contact.isUnreachable) return undefined;
  const lost = new AbortController();
  const stopWatching = contact.watch(() => lost.abort());
  const signals = [lost.signal];
  if (call.signal) signals.push(call.signal);
  if (milliseconds !== undefined) signals.push(AbortSignal.timeout(milliseconds));
  try {
    const reply = await upstream.call(url, { ...call, signal: AbortSignal.any(signals) });
    contact.answered();
    return reply;
  } catch {
    if (!call.signal?.aborted) contact.suspect();
    return undefined;
  } finally {
    stopWatching();
  }
}
