import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeHaproxyConfig } from "../../../src/gateway/front/haproxy-config.js";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { body, history, SIZES } from "../../kit/bodies.js";
import { chat, type Load, load, startSession, type Target, toTarget } from "../../kit/load.js";
import { median, timesFaster } from "../../kit/measure.js";
import { type Child, cpuSecondsOf, startChild } from "../../kit/processes.js";
import { type Row, skipped } from "../../kit/report.js";
import { ADMIN_KEY, startProxy } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { Reference } from "../rig.js";

/**
 * Measures the processor time of what is in front of two proxies: HAProxy with the configuration of `rolltape proxy-config haproxy`, and the
 * gateway. Each call goes through one of them.
 */

const SECONDS = sized(3, 0.2, 1);
const ROUNDS = sized(5, 1, 2);
const CONCURRENCY = 16;
const TAGS = ["one", "two"] as const;

export async function front(): Promise<Row[]> {
  const what = `in front of two proxies, small bodies, ${CONCURRENCY} at once`;
  if (spawnSync("haproxy", ["-v"]).status !== 0) return [skipped(what, "needs HAProxy (Debian's package haproxy)")];
  const started: { stop(): Promise<void> }[] = [];
  const own = <T extends { stop(): Promise<void> }>(child: T): T => {
    started.unshift(child);
    return child;
  };
  try {
    const { engine } = own(await Reference.start());
    const proxies: Child[] = [];
    for (const tag of TAGS) {
      const args = [`server.worker_tag=${tag}`];
      proxies.push(own(await startProxy({ engineUrl: engine.url, connections: CONCURRENCY, args })));
    }
    const gateway = own(await startGateway(proxies));
    const haproxy = own(await startHaproxy(gateway.url, proxies));
    return [await measure(what, toTarget(haproxy, CONCURRENCY), toTarget(gateway, CONCURRENCY))];
  } finally {
    for (const each of started) await each.stop();
  }
}

async function measure(what: string, haproxy: Target, gateway: Target): Promise<Row> {
  const keys = await Promise.all(Array.from({ length: CONCURRENCY }, () => startSession(gateway)));
  const bytes = Buffer.from(body(history(SIZES.small, 1)));
  const run = (target: Target) =>
    load(target, { concurrency: CONCURRENCY, seconds: SECONDS }, (n) => chat(target, keys[n] ?? "", bytes));
  const rounds: { haproxy: Load; gateway: Load }[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const measured = { haproxy: await run(haproxy), gateway: await run(gateway) };
    if (round >= 0) rounds.push(measured);
  }
  const cpu = (side: "haproxy" | "gateway") => rounds.map((each) => each[side].cpu);
  const describe = (side: "haproxy" | "gateway") => `CPU ${median(cpu(side)).toFixed(3)} ms a call`;
  await Promise.all([haproxy.pool.destroy(), gateway.pool.destroy()]);
  const times = timesFaster(cpu("haproxy"), cpu("gateway"));
  // A smoke run can be shorter than a tick of HAProxy's processor time.
  const ratio = Number.isFinite(times) ? `, ${times.toFixed(1)} times as much` : "";
  return {
    what: `HAProxy ${what}`,
    measured: describe("haproxy"),
    reference: `gateway: ${describe("gateway")}${ratio}`,
  };
}

function startGateway(proxies: readonly Child[]): Promise<Child> {
  const workers = `gateway.workers=[${proxies.map(({ url }) => url).join()}]`;
  const args = ["dist/cli/main.js", "gateway", "server.port=0", "server.log_level=error", workers];
  return startChild(process.execPath, args, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
}

async function startHaproxy(gateway: string, proxies: readonly Child[]): Promise<Child> {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), "rolltape-bench-"));
  const file = join(folder, "haproxy.cfg");
  const workers = proxies.map(({ url }, n) => ({ tag: TAGS[n] ?? "", address: new URL(url).host }));
  const listen = `127.0.0.1:${port}`;
  const settings = { listen, gateways: [new URL(gateway).host], workers, unreachableMilliseconds: 10_000 };
  await writeFile(file, writeHaproxyConfig(settings));
  const child = spawn("haproxy", ["-f", file], { stdio: "ignore" });
  const { pid = 0 } = child;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with status ${child.exitCode}`);
    await sleep(20);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await once(child, "exit");
    await rm(folder, { recursive: true });
  };
  return { url: `http://${listen}`, pid, cpuSeconds: () => cpuSecondsOf(pid), stop };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
