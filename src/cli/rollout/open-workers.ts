import { WORKER, withoutUnused } from "../../config/index.js";
import { JobProcess } from "./job-process.js";
import { type LeasesSettings, type OpenLeases, openLeases } from "./open-leases.js";
import type { JobProxySettings } from "./open-proxy.js";
import type { RolloutOptions } from "./rollout-options.js";
import { chooseNodeArguments } from "./worker-node-arguments.js";

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
