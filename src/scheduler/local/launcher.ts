import { freePort } from "../free-port.js";
import type { LaunchedProcess, Launcher, Place, ProcessPlan } from "../launcher.js";
import { fillEnvironment, fillIn } from "../placeholders.js";
import { RunningProcess } from "../running-process.js";

const HERE: Place = { node: "127.0.0.1", address: "127.0.0.1" };

/** Everything on this machine. */
export class LocalLauncher implements Launcher {
  readonly #ports = new Map<string, string>();

  place(): Place {
    return HERE;
  }

  async launch({ role, index, command, env, output, errors }: ProcessPlan): Promise<LaunchedProcess> {
    const port = this.#ports.get(`${role}-${index}`) ?? String(await freePort());
    this.#ports.set(`${role}-${index}`, port);
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
}
