import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { until } from "./until.js";

/** True if Debian's package `haproxy` is installed. */
export const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;

/** A HAProxy that runs, as a master with a worker. */
export interface Haproxy {
  /** Process id of the master, which loads the file again on SIGUSR2. */
  readonly pid: number;
  /** Number of times that it has loaded the file. */
  loads(): number;
  /** Makes it load the file again. */
  reload(): Promise<void>;
}

/** Time after which a reload is asked for again: HAProxy ignores signals for some milliseconds after a reload. */
const REPEAT_MS = 1000;

/** Starts HAProxy with a configuration file that exists. Resolves when it accepts calls and signals. */
export async function runHaproxy(file: string): Promise<Haproxy> {
  const master = spawn("haproxy", ["-W", "-f", file], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  master.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  onTestFinished(async () => {
    if (master.exitCode !== null) return;
    master.kill("SIGTERM");
    await once(master, "exit");
  });
  const loads = () => log.split("Loading success").length - 1;
  await until(() => loads() === 1 || master.exitCode !== null);
  if (master.pid === undefined || master.exitCode !== null) throw new Error(`HAProxy ended: ${log}`);
  const reload = async () => {
    const before = loads();
    master.kill("SIGUSR2");
    const repeat = setInterval(() => master.kill("SIGUSR2"), REPEAT_MS);
    await until(() => loads() > before);
    clearInterval(repeat);
  };
  return { pid: master.pid, loads, reload };
}
