import type { NativePlan } from "../../../src/native/contract.js";
import { planExport } from "../../../src/session/batch/plan.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { median, seconds, takeTurns, timesFaster } from "../../kit/measure.js";
import { gigabytesPerSecond, milliseconds, report } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { batchOptions, recordAgentRun } from "../load.js";

/**
 * Compares packing in one thread with memcpy of the same number of bytes. All blocks have been written before, so neither has page
 * faults. `TypedArray.prototype.set` is the C library's `memmove`.
 */

const ROUNDS = sized(25, 2, 9);

const sessions = recordAgentRun();

async function packOnce(plan: NativePlan) {
  const faultsBefore = process.resourceUsage().minorPageFault;
  const started = performance.now();
  const batch = await plan.pack({}, { threads: 1 });
  const taken = (performance.now() - started) / 1000;
  const faults = process.resourceUsage().minorPageFault - faultsBefore;
  const bytes = batch.byteLength;
  batch.release();
  return { taken, faults, bytes };
}

async function measure(what: string, plan: NativePlan): Promise<void> {
  const { bytes } = await packOnce(plan);
  const from = new Uint8Array(bytes).fill(1);
  const to = new Uint8Array(bytes).fill(2);
  let faults = 0;
  const times = await takeTurns(ROUNDS, {
    pack: async () => {
      const once = await packOnce(plan);
      faults = once.faults;
      return once.taken;
    },
    memcpy: () => seconds(() => to.set(from)),
  });
  const [pack, memcpy] = [median(times.pack), median(times.memcpy)];
  const exported = plan.rows.lengths.reduce((sum, length) => sum + length, 0);
  report(
    {
      what,
      measured: `${gigabytesPerSecond(bytes, pack)}, ${(bytes / 1e6).toFixed(0)} MB, ${faults} page faults`,
      reference: `memcpy ${gigabytesPerSecond(bytes, memcpy)}`,
      verdict: { value: 100 * timesFaster(times.pack, times.memcpy), target: 70, bound: "at least", unit: "%" },
    },
    {
      what: `${what}: token slots`,
      measured: `${(plan.tokens / 1e6).toFixed(1)} M slots, ${(exported / 1e6).toFixed(1)} M tokens in ${milliseconds(pack)}`,
      reference: "",
      verdict: { value: plan.tokens / pack / 1e6, target: 400, bound: "at least", unit: " M/s" },
    },
  );
}

for (const layout of ["padded", "packed"]) {
  const plan = runAtOnce(planExport(sessions, batchOptions({ layout }))).native;
  await measure(`${layout} individual, one thread, warm block`, plan);
}
