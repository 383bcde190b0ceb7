import type { BatchMemory, StoreExportOptions } from "../../../src/index.js";
import { median, seconds, takeTurns } from "../../kit/measure.js";
import { gigabytesPerSecond, milliseconds, report, skipped } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { AGENT_RUN, exportOptions, makeLoad, recordedStore } from "../load.js";

/** Measures `exportBatch` into each kind of memory, batch after batch, with the default number of threads. Has no target. */

const ROUNDS = sized(15, 2, 7);
const DEFAULT = "heap";
const { store, ids } = recordedStore(makeLoad(AGENT_RUN));

async function exportInto(memory: BatchMemory): Promise<{ taken: number; bytes: number }> {
  const kind = memory === DEFAULT ? {} : { memory };
  const options: StoreExportOptions = { ...exportOptions(), ...kind };
  const started = performance.now();
  const batch = await store.exportBatch(ids, options);
  const taken = (performance.now() - started) / 1000;
  const bytes = batch.byteLength;
  batch.acknowledge();
  return { taken, bytes };
}

/** Returns why this kind of memory is not available on this machine; undefined if it is. */
async function refusal(memory: BatchMemory): Promise<string | undefined> {
  try {
    await exportInto(memory);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}

async function measure(memory: BatchMemory): Promise<void> {
  const what = `whole exportBatch, memory ${memory}`;
  const why = await refusal(memory);
  if (why !== undefined) return report(skipped(what, why));
  const { bytes } = await exportInto(memory);
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  const times = await takeTurns(ROUNDS, {
    whole: async () => (await exportInto(memory)).taken,
    memcpy: () => seconds(() => to.set(from)),
  });
  const show = (taken: number) => `${milliseconds(taken)}, ${gigabytesPerSecond(bytes, taken)}`;
  report({ what, measured: show(median(times.whole)), reference: `memcpy ${show(median(times.memcpy))}` });
}

const KINDS: readonly BatchMemory[] = [DEFAULT, "shared", "pinned"];
for (const memory of KINDS) await measure(memory);
