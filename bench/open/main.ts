import { spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { BenchReport } from "../kit/report.js";
import { readResources } from "../processes.js";
import { ADMIN_KEY, startProxy, startScript } from "../servers.js";
import { openCalls } from "./load.js";
import { ALL_OPEN_AT_SECONDS, CALLS, INFLIGHT } from "./plan.js";

/**
 * Opens ten thousand calls at the same time, half of them streamed. Checks that none is cut, and measures how long /health takes
 * meanwhile and how much memory the server needs for each call.
 *
 *   npm run bench:open
 */

/** Calls of one session. They are few, as those of a real agent. */
const CALLS_OF_SESSION = 10;
/** As a value of `nice`. */
const LOW_PRIORITY = 10;
const JSON_TYPE = { "content-type": "application/json" };

const report = new BenchReport();
const engine = await startScript(new URL("engine-process.ts", import.meta.url));
const proxy = await startProxy({ engineUrl: engine.url, connections: INFLIGHT, args: ["server.probe_port=0"] });
try {
  const keys = await startSessions(Math.ceil(CALLS / CALLS_OF_SESSION));
  const probe = startProbe();
  // In use, agents and engine are on other machines. Here they must not take the processor from the server that is measured.
  for (const pid of [process.pid, engine.pid]) setPriority(pid, LOW_PRIORITY);
  await sleep(2000);
  const before = readResources(proxy.pid);
  const done = openCalls(proxy.url, keys);
  await sleep(ALL_OPEN_AT_SECONDS * 1000);
  const inFlight = "rolltape_engine_server_inflight_requests";
  const open = {
    ...readResources(proxy.pid),
    calls: await readMetric(inFlight),
    waiting: await readMetric(inFlight, 'place="waiting"'),
  };
  const { answered, failed } = await done;
  const recorded = await readMetric('rolltape_calls_total{api="chat.completions",outcome="recorded"}');
  const after = readResources(proxy.pid);
  const health = await probe.stop();
  const sizes = [before, open, after];
  const rows: [what: string, measured: string][] = [
    ["calls open at the same time", String(open.calls)],
    [`of these waiting, because \`engine.max_inflight\` is ${INFLIGHT}`, String(open.waiting)],
    ["calls answered completely", `${answered} of ${CALLS}`],
    ["calls not answered, by cause", [...failed].map(([cause, count]) => `${cause} ${count}`).join(", ") || "0"],
    ["calls recorded", String(recorded)],
    ["/health on open connections: p50, p99, worst (ms)", formatTimes(health.kept)],
    ["/health on new connections: p50, p99, worst (ms)", formatTimes(health.fresh)],
    ["/health of `server.probe_port` on new connections: p50, p99, worst (ms)", formatTimes(health.probePort)],
    [
      "/health: answers, of these not 200",
      `${health.kept.probes + health.fresh.probes + health.probePort.probes}, ${health.unhealthy}`,
    ],
    [
      "connections that the kernel refused or delayed, because the queue of the listener was full",
      String(health.overflows),
    ],
    ["memory of an open call (KiB)", (((open.mebibytes - before.mebibytes) * 1024) / open.calls).toFixed(1)],
    [
      "resident memory before, with all calls open, after (MiB)",
      sizes.map(({ mebibytes }) => mebibytes.toFixed(0)).join(", "),
    ],
    ["open files before, with all calls open, after", sizes.map(({ descriptors }) => descriptors).join(", ")],
  ];
  report.addTable(["what", "measured"], rows);
  console.log(
    "A new connection waits for those before it until the server has accepted them; open connections and the probe port do not. If the queue of a listener " +
      "is full (server.listen_backlog, net.core.somaxconn), the client's system tries again after 1, 3 and 7 s. The engine of this benchmark " +
      "has such a queue, too.",
  );
  if (answered !== CALLS || recorded !== CALLS) process.exitCode = 1;
} finally {
  await proxy.stop();
  await engine.stop();
}

async function startSessions(count: number): Promise<string[]> {
  const headers = { ...JSON_TYPE, authorization: `Bearer ${ADMIN_KEY}` };
  const post = async (path: string): Promise<unknown> =>
    (await fetch(proxy.url + path, { method: "POST", headers, body: "{}" })).json();
  const keys: string[] = [];
  for (let i = 0; i < count; i++) {
    await post("/grant_capacity");
    keys.push(((await post("/rl/start_session")) as { session_api_key: string }).session_api_key);
  }
  return keys;
}

interface Times {
  readonly probes: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface HealthTimes {
  /** On connections that were opened before the calls. */
  readonly kept: Times;
  /** Each on a connection of its own. */
  readonly fresh: Times;
  /** To the port for probes, each on a connection of its own. */
  readonly probePort: Times;
  /** Answers that were not 200. */
  readonly unhealthy: number;
  /** Connections of the whole machine that found the queue of their listener full. */
  readonly overflows: number;
}

function formatTimes({ p50, p99, max }: Times): string {
  return [p50, p99, max].map((ms) => ms.toFixed(0)).join(", ");
}

/** Starts the probe in a separate process, because this one is busy with ten thousand connections. */
function startProbe(): { stop(): Promise<HealthTimes> } {
  const script = fileURLToPath(new URL("probe-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", script, proxy.url, proxy.probeUrl ?? ""], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = readText(child.stdout);
  return {
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit");
      return JSON.parse((await output).trim().split("\n").at(-1) ?? "") as HealthTimes;
    },
  };
}

/** Sums a metric over its labels, as far as they are given. */
async function readMetric(name: string, label = ""): Promise<number> {
  const text = await (await fetch(`${proxy.url}/metrics`)).text();
  return text
    .split("\n")
    .filter((line) => line.startsWith(name) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}
