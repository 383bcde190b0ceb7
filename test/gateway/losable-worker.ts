import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

export interface LosableWorker {
  readonly tag: string;
  readonly url: string;
  /** Drops all packets that it sends, as if its machine had lost power. */
  lose(): void;
}

const SERVER = `
const [host, tag] = process.argv.slice(1);
require("node:http").createServer((call, reply) => {
  if (call.url === "/health") reply.end(JSON.stringify({ worker: { tag } }));
  else call.resume().on("end", () => console.log("call"));
}).listen(8000, host, () => console.log("ready"));`;

let started = 0;

/**
 * Starts a worker on a machine of its own, a network namespace, that passes probes but answers no calls. Needs root.
 *
 * @param onCall is told of each call
 */
export async function startLosable(tag: string, onCall: () => void): Promise<LosableWorker> {
  // Test files of other processes may do the same.
  const id = process.pid + started++;
  const [machine, cable, network] = [`rt-${id}`, `rt-${id}`, `10.232.${id % 250}`];
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
  ip("netns", "add", machine);
  onTestFinished(() => void ip("netns", "del", machine));
  ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", machine);
  onTestFinished(() => void ip("link", "del", cable));
  ip("address", "add", `${network}.1/24`, "dev", cable);
  ip("link", "set", cable, "up");
  ip("-n", machine, "address", "add", `${network}.2/24`, "dev", "eth0");
  ip("-n", machine, "link", "set", "eth0", "up");
  const command = ["netns", "exec", machine, process.execPath, "-e", SERVER, `${network}.2`, tag];
  const child = spawn("ip", command, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  await once(child.stdout, "data");
  child.stdout.on("data", onCall);
  return {
    tag,
    url: `http://${network}.2:8000`,
    lose: () => void ip("-n", machine, "route", "add", "blackhole", `${network}.1`),
  };
}
