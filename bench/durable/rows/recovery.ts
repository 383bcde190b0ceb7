import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { body, user } from "../../kit/bodies.js";
import { type Child, MemoryPeak } from "../../kit/processes.js";
import type { Row } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { benchSize, sized } from "../../kit/sized.js";
import type { Recorded } from "../record-process.js";
import { recordSessions } from "../record-sessions.js";
import { post, postAll } from "../requests.js";
import { makeConversation, SHAPE, sampleKey } from "../sample-calls.js";
import { withFolder } from "../storage-folder.js";

/** How long a server takes that starts on the folder of a killed one: to the first answer, and until all sessions were in use. */

const SESSIONS = sized(10_000, 40, 2_000);
/** Requests at the same time. After a restart, all agents send their calls again. */
const AT_ONCE = 256;
const TARGET_FIRST_SECONDS = 2;
const TARGET_ALL_SECONDS = 10;
const TARGET_BYTES = 14;
const WRITER_MEMORY_BYTES = 512 * 2 ** 20;

export async function recovery(): Promise<Row[]> {
  return withFolder(async (directory) => {
    const recorded = await recordSessions({ directory, sessions: SESSIONS, memoryBytes: WRITER_MEMORY_BYTES });
    const engine = await startScript(new URL("../../proxy/wire-engine-process.ts", import.meta.url));
    try {
      const rows = [diskRow(recorded)];
      rows.push(...(await restart(directory, engine, "files in the page cache")));
      for (const name of readdirSync(directory)) dropFromCache(join(directory, name));
      rows.push(...(await restart(directory, engine, "files not in the page cache")));
      return rows;
    } finally {
      await engine.stop();
    }
  });
}

async function restart(directory: string, engine: Child, state: string): Promise<Row[]> {
  const last = SESSIONS - 1;
  const messages = [...makeConversation(last, SHAPE), user("And now?")];
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  const server = await startProxy({
    engineUrl: engine.url,
    connections: AT_ONCE,
    args: [`storage.directory=${directory}`],
  });
  const peak = new MemoryPeak(server.pid);
  try {
    await post(server.url, "/v1/chat/completions", sampleKey(last), body(messages));
    const first = seconds();
    const reward = JSON.stringify({ reward: 1 });
    await postAll(AT_ONCE, last, (number) => post(server.url, "/rl/set_reward", sampleKey(number), reward));
    const all = seconds();
    const what = `restart with ${SESSIONS.toLocaleString("en")} sessions, ${state}`;
    return [
      row(`${what}: to the first answer`, first, TARGET_FIRST_SECONDS),
      row(`${what}: until each session was used`, all, TARGET_ALL_SECONDS),
      { what: `${what}: anonymous memory`, measured: `${peak.stop().toFixed(0)} MiB at most`, reference: "" },
    ];
  } finally {
    peak.stop();
    await server.stop();
  }
}

function row(what: string, seconds: number, target: number): Row {
  const verdict = { value: seconds, target, bound: "at most", unit: " s" } as const;
  // The targets are for the full number of sessions.
  return { what, measured: `${seconds.toFixed(2)} s`, reference: "", ...(benchSize !== "short" && { verdict }) };
}

function diskRow({ tokens, fileBytes, seconds }: Recorded): Row {
  const verdict = { value: fileBytes / tokens, target: TARGET_BYTES, bound: "at most", unit: " B" } as const;
  const size = `${(fileBytes / 1e6).toFixed(0)} MB for ${(tokens / 1e6).toFixed(2)} M tokens`;
  const rate = `recorded at ${(tokens / seconds / 1e6).toFixed(2)} M tokens/s`;
  return { what: "disk for each distinct token, with messages", measured: size, reference: rate, verdict };
}

/** Makes the kernel forget the content of a file that no process has open, so that it is read from the disk again. */
function dropFromCache(file: string): void {
  execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}
