import { freePort } from "../free-port.js";
import type { LaunchedProcess, Launcher, Place, ProcessPlan } from "../launcher.js";
import { fillEnvironment, fillIn } from "../placeholders.js";
import { RunningProcess } from "../running-process.js";

const HERE: Place = { node: "127.0.0.1", address: "127.0.0.1" };

/** Everything on this machine. */
export class LocalLauncher implements Launcher {
  readonly #ports = new Map<string, number>();

  place(): Place {
    return HERE;
  }

  async launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess> {
    const port = String(await this.#portOf(`${role}-${index}`));
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

  /** Its last one where that is free. No two processes have the same: neither may listen yet when the other asks. */
  async #portOf(process: string): Promise<number> {
    const port = await freePort(this.#ports.get(process));
    const taken = [...this.#ports].some(([other, its]) => other !== process && its === port);
    if (taken) return this.#portOf(process);
    this.#ports.set(process, port);
    return port;
  }
}
