import { MemoryPeak } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { benchSize, sized } from "../../kit/sized.js";
import { recordSessions } from "../record-sessions.js";
import { post, postAll } from "../requests.js";
import { sampleKey } from "../sample-calls.js";
import { withFolder } from "../storage-folder.js";

/** Memory of a server that has more sessions than `storage.memory_bytes` keeps in memory. */

const SESSIONS = sized(20_000, 40, 2_000);
const MEMORY_BYTES = sized(128, 1) * 2 ** 20;
const AT_ONCE = 32;
const TARGET_MEBIBYTES = 1e9 / 2 ** 20;

export async function memory(): Promise<Row[]> {
  return withFolder(async (directory) => {
    const { peakMebibytes } = await recordSessions({ directory, sessions: SESSIONS, memoryBytes: MEMORY_BYTES });
    const what = `anonymous memory with ${SESSIONS.toLocaleString("en")} sessions`;
    const used = await useAll(directory);
    return [row(`${what}, while they are recorded`, peakMebibytes), row(`${what}, while each is used again`, used)];
  });
}

/** Starts a server on the folder, uses each session, and returns the server's largest anonymous memory. */
async function useAll(directory: string): Promise<number> {
  const engine = await startScript(new URL("../../proxy/wire-engine-process.ts", import.meta.url));
  const args = [`storage.directory=${directory}`, `storage.memory_bytes=${MEMORY_BYTES}`];
  const server = await startProxy({ engineUrl: engine.url, connections: AT_ONCE, args });
  const peak = new MemoryPeak(server.pid);
  try {
    const reward = JSON.stringify({ reward: 1 });
    await postAll(AT_ONCE, SESSIONS, (number) => post(server.url, "/rl/set_reward", sampleKey(number), reward));
    return peak.stop();
  } finally {
    peak.stop();
    await server.stop();
    await engine.stop();
  }
}

function row(what: string, mebibytes: number): Row {
  const verdict = { value: mebibytes, target: TARGET_MEBIBYTES, bound: "at most", unit: " MiB" } as const;
  // The target is for the full number of sessions.
  const reference = `storage.memory_bytes ${(MEMORY_BYTES / 2 ** 20).toFixed(0)} MiB`;
  return { what, measured: `${mebibytes.toFixed(0)} MiB`, reference, ...(benchSize !== "short" && { verdict }) };
}
