import { BenchReport } from "../kit/report.js";
import { startProxy, startScript } from "../servers.js";
import { sized } from "../sized.js";
import { Api, type Session } from "./api.js";
import { type Filled, fill } from "./fill.js";
import { MemoryCgroup } from "./memory-cgroup.js";
import { readOptions } from "./options.js";
import { readPeak, watch } from "./watch.js";

/**
 * Fills a server whose memory the kernel limits, and keeps sending after it refuses sessions and calls. Then exports every session and
 * stops the server. The exit status is 1 if the server was killed or crashed, or if an answered call is missing.
 *
 *   npm run bench:full [-- --minutes 60 --memory MEBIBYTES]
 */

const AGENTS = 32;
/** Sessions of one export. */
const BATCH = sized(4, 2);
const MEBIBYTE = 1024 ** 2;

const report = new BenchReport();
const { minutes, mebibytes } = readOptions(process.argv.slice(2));
const problems: string[] = [];
const cgroup = createCgroup();
const engine = await startScript(new URL("../fairness/engine-process.ts", import.meta.url), "1");
const proxy = await startProxy({
  engineUrl: engine.url,
  connections: 256,
  args: [
    // Nothing else may free memory during the run.
    "rollout.agent.session_timeout_seconds=86400",
    ...(cgroup ? [] : [`server.store_bytes=${(mebibytes * MEBIBYTE) / 4}`]),
  ],
  nodeArguments: cgroup ? [] : [`--max-old-space-size=${mebibytes / 4}`],
  ...(cgroup ? { wrap: (program, args) => cgroup.wrap(program, args) } : {}),
});
const api = new Api(proxy.url);
const watching = watch(api);
const { watched } = watching;
try {
  await api.post("/grant_capacity", { slots: 1_000_000 });
  const filled = await fill(api, AGENTS, minutes * 60);
  const filledPeak = readPeak(proxy.pid);
  const exported = await exportAll(filled.sessions).catch((error: unknown) => {
    problems.push(`the exports failed: ${error instanceof Error ? error.message : String(error)}`);
    return 0;
  });
  const { status: afterwards } = await api.post("/rl/start_session", {}).catch(() => ({ status: 0 }));
  await watching.stop();
  const peak = readPeak(proxy.pid);
  await proxy.stop();
  judge(filled, exported, afterwards);
  print(filled, exported, [filledPeak, peak]);
} finally {
  await watching.stop();
  await api.close();
  await proxy.stop();
  await engine.stop();
  cgroup?.remove();
}
for (const problem of problems) console.log(`wrong: ${problem}`);
if (problems.length > 0) process.exitCode = 1;

function createCgroup(): MemoryCgroup | undefined {
  try {
    return MemoryCgroup.create(mebibytes * MEBIBYTE);
  } catch (error) {
    process.stderr.write(`no memory limit of the kernel: ${error instanceof Error ? error.message : String(error)}\n`);
    return undefined;
  }
}

/** Ends and exports all sessions. Returns the number of exported interactions. */
async function exportAll(sessions: ReadonlyMap<Session, number>): Promise<number> {
  const used = [...sessions].filter(([, calls]) => calls > 0).map(([session]) => session);
  let exported = 0;
  for (let i = 0; i < used.length; i += BATCH) {
    const batch = used.slice(i, i + BATCH);
    for (const { key } of batch) await api.post("/rl/end_session", {}, key);
    exported += await api.countExported(batch);
  }
  return exported;
}

function judge({ recorded, refused, failed }: Filled, exported: number, afterwards: number): void {
  const { exit } = proxy;
  if (exit !== "status 0") problems.push(`the server ended with ${exit}`);
  if (cgroup && cgroup.kills > 0) problems.push(`the kernel killed ${cgroup.kills} processes`);
  if (exported !== recorded) problems.push(`${recorded} calls were answered, ${exported} exported`);
  if (afterwards !== 200) problems.push(`after the exports, a new session was answered with ${afterwards}`);
  for (const [cause, count] of failed) problems.push(`${count} times: ${cause}`);
  // A smoke run is too short to fill the memory.
  if (sized(true, false) && (refused.sessions === 0 || refused.calls === 0)) {
    problems.push(`the server refused ${refused.sessions} sessions and ${refused.calls} calls`);
  }
}

function print(
  { sessions, recorded, refused }: Filled,
  exported: number,
  peaks: readonly (number | undefined)[],
): void {
  const mebi = (value: number | undefined) => (value === undefined ? "unknown" : value.toFixed(0));
  const cgroupPeak = cgroup?.peakBytes;
  const limited = cgroup ? `${mebibytes}` : "none: this machine or user has no cgroups";
  report.addTable(
    ["what", "measured"],
    [
      ["memory limit of the server (MiB)", limited],
      ["minutes", String(minutes)],
      ["sessions, calls recorded", `${sessions.size}, ${recorded}`],
      ["sessions refused, calls refused", `${refused.sessions}, ${refused.calls}`],
      ["interactions exported", String(exported)],
      [
        "largest store, largest JavaScript heap (MiB)",
        `${mebi(watched.storeMebibytes)}, ${mebi(watched.heapMebibytes)}`,
      ],
      ["resident memory: largest while filling, in all (MiB)", peaks.map(mebi).join(", ")],
      ["largest memory of the cgroup (MiB)", mebi(cgroupPeak === undefined ? undefined : cgroupPeak / MEBIBYTE)],
      ["/health: answers, of these not 200", `${watched.probes}, ${watched.unhealthy}`],
      ["/health: slowest (ms)", watched.slowestProbeMs.toFixed(0)],
      ["end of the server", proxy.exit ?? "not yet"],
    ],
  );
}
