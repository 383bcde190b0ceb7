import { pino } from "pino";
import { parseConfig } from "../../src/config/index.js";
import { loadChatModel } from "../../src/model/load-chat-model.js";
import { createRegistry } from "../../src/server/start.js";
import { openServerStorage } from "../../src/server/storage/server-storage.js";
import type { Session } from "../../src/session/session.js";
import { MemoryPeak } from "../kit/processes.js";
import { ADMIN_KEY } from "../kit/servers.js";
import { SampleCalls, SHAPE, sampleKey } from "./sample-calls.js";

/**
 * Records sessions as a server does, but without HTTP, and prints what that took as one JSON line. Then it waits to be killed, so
 * that the folder is that of a server which died.
 *
 *   record-process.ts MODEL-FOLDER DIRECTORY FIRST COUNT MEMORY-BYTES
 */

/** The output of the process. */
export interface Recorded {
  readonly seconds: number;
  /** Distinct tokens of all sessions in the folder. */
  readonly tokens: number;
  readonly fileBytes: number;
  readonly usedBytes: number;
  /** Largest anonymous memory of the process while it recorded, in MiB. */
  readonly peakMebibytes: number;
}

/** Sessions that are recorded at the same time. Their records come to the disk in turns, as those of a server's agents do. */
const SIDE_BY_SIDE = 64;

const [modelFolder = "", directory = "", first = "0", count = "0", memoryBytes = "1"] = process.argv.slice(2);
const config = parseConfig({ storage: { directory, memory_bytes: Number(memoryBytes) } });
const { digest } = await loadChatModel(modelFolder);
const logger = pino({ level: "error" });
const server = await openServerStorage(config, { modelDigest: digest, storeBytes: Number(memoryBytes), logger });
if (!server) throw new Error("the server has no storage");
const { storage, memoryBytes: most } = server;
const registry = createRegistry(config, ADMIN_KEY, server);
registry.restore();
registry.grant(Number(count));
const peak = new MemoryPeak(process.pid);
const began = performance.now();
const end = Number(first) + Number(count);
for (let number = Number(first); number < end; number += SIDE_BY_SIDE) {
  await recordSessions(number, Math.min(SIDE_BY_SIDE, end - number));
}
await registry.flushed();
const seconds = (performance.now() - began) / 1000;
const recorded: Recorded = {
  seconds,
  tokens: [...registry.all()].reduce((sum, { data }) => sum + data.size.tokens, 0),
  ...storage.readSize(),
  peakMebibytes: peak.stop(),
};
console.log(JSON.stringify(recorded));
setInterval(() => undefined, 60_000);

async function recordSessions(from: number, sessions: number): Promise<void> {
  const started = Array.from({ length: sessions }, (_, i) => {
    const { session } = registry.start({ apiKey: sampleKey(from + i) });
    return { session, sample: new SampleCalls(from + i, SHAPE) };
  });
  for (let call = 0; call < SHAPE.calls; call++) {
    for (const { session, sample } of started) sample.record(session);
    await registry.flushed();
    for (const { session } of started) answer(session, call);
  }
  if (registry.bytes > most) await registry.unloadIdle(() => registry.bytes <= most);
}

/** Notes that the client has the answer, as the server does when it has sent it. */
function answer(session: Session, index: number): void {
  session.delivery.answered(index);
}
