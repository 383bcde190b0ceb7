import type { StoreExportOptions, TrajectoryStore } from "../../../src/session/trajectory-store.js";
import { AGENT_RUN, makeLoad, recordedStore } from "../load.js";
import { median, seconds, takeTurns, timesFaster } from "../measure.js";
import { exportOptions, NOT_IN_BUILD } from "../options.js";
import { gigabytesPerSecond, report, skipped } from "../row.js";

/**
 * One thread writes batches into memory that was written before; the measure is memcpy of the same number of bytes
 * between two blocks that were, too. `TypedArray.prototype.set` is the C library's memmove.
 */

const ROUNDS = 15;
const WANTED_PERCENT = 70;
const WANTED_SLOTS = 400e6;

const load = makeLoad(AGENT_RUN);
const { store, ids } = recordedStore(load);

async function measure(what: string, options: StoreExportOptions): Promise<void> {
  const { bytes, slots } = await sizeOf(store, options);
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  let faults = 0;
  const times = await takeTurns(ROUNDS, {
    pack: async () => {
      const before = process.resourceUsage().minorPageFault;
      const started = performance.now();
      const batch = await store.exportBatch(ids, options);
      const taken = (performance.now() - started) / 1000;
      faults = process.resourceUsage().minorPageFault - before;
      batch.release();
      return taken;
    },
    memcpy: () => seconds(() => to.set(from)),
  });
  const [pack, memcpy] = [median(times.pack), median(times.memcpy)];
  const size = `${(bytes / 1e6).toFixed(0)} MB`;
  const ours = `${gigabytesPerSecond(bytes, pack)}, ${size}, ${faults} page faults`;
  const reference = `memcpy ${gigabytesPerSecond(bytes, memcpy)}`;
  const percent = 100 * timesFaster(times.pack, times.memcpy);
  report(
    { what, ours, reference, verdict: { value: percent, wanted: WANTED_PERCENT, sense: "at least", unit: "%" } },
    {
      what: `${what}: token slots`,
      ours: `${(slots / 1e6).toFixed(1)} M slots in ${(pack * 1000).toFixed(1)} ms`,
      reference: "",
      verdict: { value: slots / pack / 1e6, wanted: WANTED_SLOTS / 1e6, sense: "at least", unit: " M/s" },
    },
  );
}

async function sizeOf(from: TrajectoryStore, options: StoreExportOptions): Promise<{ bytes: number; slots: number }> {
  const batch = await from.exportBatch(ids, options);
  const sizes = { bytes: batch.bytes.byteLength, slots: batch.tensors.input_ids.data.length };
  batch.release();
  return sizes;
}

for (const layout of ["padded", "packed"]) {
  const what = `${layout} individual, one thread, warm block`;
  const options = exportOptions({ layout });
  if (options) await measure(what, options);
  else report(skipped(what, NOT_IN_BUILD));
}
