import { availableParallelism } from "node:os";
import { WORKER, withoutUnused } from "../../config/index.js";
import { JobProcess } from "./job-process.js";
import { type LeasesSettings, type OpenLeases, openLeases } from "./open-leases.js";
import type { JobProxySettings } from "./open-proxy.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface WorkersSettings
  extends JobProxySettings,
    Pick<LeasesSettings, "tasks" | "store" | "remover" | "proxy" | "adminKey" | "logger"> {
  readonly count: number;
}

/** Starts rollout workers on this machine, and what gives them tasks. Resolves when all are ready, so that they share the tasks. */
export async function openWorkers(settings: WorkersSettings): Promise<OpenLeases> {
  const { options, overrides, screen, count, adminKey } = settings;
  const leases = await openLeases({ ...settings, host: "127.0.0.1", port: 0 });
  const shared = [
    "--controller",
    leases.url,
    ...agentArguments(options),
    ...withoutUnused(overrides, WORKER),
    ...(options.config === undefined ? [] : ["--config", options.config]),
  ];
  const nodeArguments = chooseNodeArguments(count);
  const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: adminKey };
  const workers = Array.from({ length: count }, (_, index) => {
    const name = `worker-${index}`;
    return new JobProcess({
      kind: "rollout worker",
      args: ["worker", "--name", name, ...shared],
      nodeArguments,
      env,
      logs: screen.log,
      cost: "its tasks run again",
      onDeath: (how) => void leases.tasks.loseNamed(name, `rollout worker ${name} ended with ${how}`),
    });
  });
  const close = async () => {
    leases.tasks.finish();
    await Promise.all(workers.map((worker) => worker.stop()));
    await leases[Symbol.asyncDispose]();
  };
  try {
    await Promise.all(workers.map((worker) => worker.start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { ...leases, [Symbol.asyncDispose]: close };
}

/** Returns the arguments that give another command the same agent. */
export function agentArguments({ agent, command }: RolloutOptions): string[] {
  return [
    ...(agent === undefined ? [] : ["--agent", agent]),
    ...(command === undefined ? [] : ["--command", JSON.stringify(command)]),
  ];
}

/** In MiB. */
const SEMI_SPACE = 64;

/**
 * Returns the arguments of Node for each of `count` rollout workers on this machine.
 *
 * A worker makes short-lived objects only. With semi-spaces of 64 MiB instead of 16, fewer of them live long enough to be copied. They
 * have this size from the start, because V8 lets them grow late: it waits until many objects survive. A proxy counts on Node's own size:
 * see the heap watch of the server.
 *
 * V8 collects garbage with a second thread. This shortens a pause if a core is idle, but takes more processor time: 7.27 instead of 6.72
 * ms for an episode of two workers on two cores. So a worker gets this thread only if there are two cores for each worker.
 */
export function chooseNodeArguments(count: number, cores = availableParallelism()): string[] {
  const semiSpaces = [`--min-semi-space-size=${SEMI_SPACE}`, `--max-semi-space-size=${SEMI_SPACE}`];
  const hasTwoCoresEach = cores >= 2 * count;
  return hasTwoCoresEach ? semiSpaces : [...semiSpaces, "--single-threaded-gc"];
}
