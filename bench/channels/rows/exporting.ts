import type { NativePlan, PackOptions } from "../../../src/native/contract.js";
import { SharedMemory } from "../../../src/session/batch/batch-memory.js";
import { planExport } from "../../../src/session/batch/plan.js";
import { Session } from "../../../src/session/session.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { batchOptions, type LoadShape, makeLoad, recordConversation } from "../../export/load.js";
import { median, processorSeconds, takeTurns, timesFaster } from "../../kit/measure.js";
import { gigabytesPerSecond, type Row } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { CHANNEL, makeExperts, ROW_BYTES } from "../experts.js";

/** Packs batches with experts on one thread, compared with memcpy of as many bytes between blocks that were written before. */

const ROUNDS = sized(15, 2, 7);
const LOAD = sized<LoadShape>({ sessions: 8, turns: 8, tokens: 8192 }, { sessions: 2, turns: 2, tokens: 256 });

function recordSessions(): Session[] {
  const experts = makeExperts(LOAD.tokens);
  return makeLoad(LOAD).map((conversation, index) => {
    const session = new Session({ id: `task-${index}`, taskId: "task" });
    recordConversation(new LocalSession(session), conversation, (sequence) => [
      { channel: CHANNEL, first: 0, values: experts.subarray(0, (sequence.length - 1) * ROW_BYTES) },
    ]);
    return session;
  });
}

/** Returns the size of the batch. */
async function pack(plan: NativePlan, memory: NonNullable<PackOptions["memory"]>): Promise<number> {
  const batch = await plan.pack({}, { threads: 1, memory });
  const { byteLength } = batch;
  if (memory === "heap") batch.release();
  else batch.acknowledge();
  return byteLength;
}

async function measure(what: string, plan: NativePlan, memory: NonNullable<PackOptions["memory"]>): Promise<Row> {
  const bytes = await pack(plan, memory);
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  const times = await takeTurns(ROUNDS, {
    pack: () => processorSeconds(() => pack(plan, memory)),
    memcpy: () => processorSeconds(() => to.set(from)),
  });
  return {
    what: `${what}, ${(bytes / 1e6).toFixed(0)} MB with experts of ${(plan.tokens / 1e3).toFixed(0)} K tokens`,
    measured: gigabytesPerSecond(bytes, median(times.pack)),
    reference: `memcpy ${gigabytesPerSecond(bytes, median(times.memcpy))}`,
    verdict: { value: 100 * timesFaster(times.pack, times.memcpy), target: 70, bound: "at least", unit: "%" },
  };
}

export async function exporting(): Promise<Row[]> {
  const sessions = recordSessions();
  const shared = new SharedMemory();
  const rows: Row[] = [];
  for (const options of [{ layout: "padded" }, { layout: "packed", style: "concat" }, { layout: "tree" }]) {
    const { native: plan } = runAtOnce(planExport(sessions, batchOptions(options)));
    const name = Object.values(options).join(", ");
    rows.push(await measure(`${name}, safetensors in memory`, plan, "heap"));
    rows.push(await measure(`${name}, shared memory`, plan, shared.pool));
  }
  shared.close();
  return rows;
}
