import { type Config, readWorkerName } from "../config/index.js";
import { WorkerAddresses } from "./worker-addresses.js";
import type { WorkerConnections } from "./worker-connections.js";
import { WorkerPool } from "./worker-pool.js";

/** Time between checks of the workers and their folder. */
const POLL_SECONDS = 1;

/** Returns a whole number, because `AbortSignal.timeout` throws for fractions. */
export function toMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

/** Returns a function that reports each problem once. Every poll finds a lasting problem again. */
function reportOnce(report: (problem: string) => void): (problem: string) => void {
  const reported = new Set<string>();
  return (problem) => {
    if (reported.has(problem)) return;
    reported.add(problem);
    report(problem);
  };
}

/** Returns the workers of a configuration. They are not searched for yet. */
export function openWorkerPool(
  config: Config,
  upstream: WorkerConnections,
  onProblem: (problem: string) => void,
): WorkerPool {
  const report = reportOnce(onProblem);
  const { gateway } = config;
  const sources = {
    urls: gateway.workers,
    folder: gateway.workers_folder ?? undefined,
    discover: readWorkerName(config),
  };
  return new WorkerPool({
    addresses: new WorkerAddresses(sources, report),
    upstream,
    pollSeconds: POLL_SECONDS,
    unreachableMilliseconds: toMilliseconds(gateway.unreachable_seconds),
    returnMilliseconds: toMilliseconds(gateway.worker_return_seconds),
    report,
  });
}
