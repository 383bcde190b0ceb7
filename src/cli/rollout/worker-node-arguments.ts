import { availableParallelism } from "node:os";

/** In MiB. */
const SEMI_SPACE = 64;

/**
 * Returns the arguments of Node for each of `count` rollout workers on this machine.
 *
 * A worker makes short-lived objects only. With semi-spaces of 64 MiB instead of 16, fewer of them live long enough to be copied. They
 * have this size from the start, because V8 lets them grow late: it waits until many objects survive. A proxy counts on Node's own size:
 * see the heap watch of the server.
 *
 * V8 collects garbage with a second thread. This shortens a pause if a core is idle, but takes more processor time. If the workers
 * keep the cores busy, each collects with its main thread alone.
 */
export function workerNodeArguments(count: number, cores = availableParallelism()): string[] {
  const semiSpaces = [`--min-semi-space-size=${SEMI_SPACE}`, `--max-semi-space-size=${SEMI_SPACE}`];
  const hasIdleCores = cores >= 2 * count;
  return hasIdleCores ? semiSpaces : [...semiSpaces, "--single-threaded-gc"];
}
