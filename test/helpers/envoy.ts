import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { until } from "./until.js";

/** An Envoy that runs. */
export interface Envoy {
  readonly pid: number;
  /** Number of times that it has loaded the file with its clusters. */
  loads(): number;
}

/** Starts Envoy with a configuration file that exists. Resolves when it accepts calls. */
export async function runEnvoy(program: string, file: string): Promise<Envoy> {
  // A hot restart would share memory with the Envoys of other tests.
  const args = ["-c", file, "--disable-hot-restart", "--concurrency", "2"];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  onTestFinished(async () => {
    if (hasEnded()) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  await until(() => log.includes("starting workers") || hasEnded());
  if (child.pid === undefined || hasEnded()) throw new Error(`Envoy ended: ${log}`);
  return { pid: child.pid, loads: () => log.split("cds: added/updated").length - 1 };
}
