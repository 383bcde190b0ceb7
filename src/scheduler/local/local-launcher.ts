import { findFreePort } from "../free-port.js";
import type { LaunchedProcess, Launcher, MachineAddress, ProcessPlan } from "../launcher.js";
import { fillEnvironment, fillIn } from "../placeholders.js";
import { RunningProcess } from "../running-process.js";

const HERE: MachineAddress = { node: "127.0.0.1", address: "127.0.0.1" };

/** Starts every process on this machine. */
export class LocalLauncher implements Launcher {
  readonly #ports = new Map<string, number>();

  place(): MachineAddress {
    return HERE;
  }

  async launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess> {
    const port = String(await this.#choosePort(`${role}-${index}`));
    const running = new RunningProcess({
      command: command.map((text) => fillIn(text, { port })),
      env: fillEnvironment(env, { port }),
      output,
      errors,
    });
    return {
      ended: running.ended,
      started: () => Promise.resolve(port),
      stop: (seconds) => running.stop(seconds),
    };
  }

  /**
   * Returns the process's last port if it is free, else another one. It never returns the port of another process,
   * because that process may not listen yet.
   */
  async #choosePort(process: string): Promise<number> {
    const port = await findFreePort(this.#ports.get(process));
    const isTaken = [...this.#ports].some(([other, otherPort]) => other !== process && otherPort === port);
    if (isTaken) return this.#choosePort(process);
    this.#ports.set(process, port);
    return port;
  }
}
