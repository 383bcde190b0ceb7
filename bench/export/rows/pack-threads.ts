import { availableParallelism } from "node:os";
import { planExport } from "../../../src/session/batch/plan.js";
import { runAtOnce } from "../../../src/support/async/steps.js";
import { type Contender, median, seconds, takeTurns, timesFaster } from "../../kit/measure.js";
import { gigabytesPerSecond, milliseconds, report } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { batchOptions, recordAgentRun } from "../load.js";

/**
 * Packs a batch with one thread, with two, four, … up to the number of cores, and with the number that the export chooses. This shows
 * whether one core saturates the memory of this machine, and whether the export chooses well.
 */

const ROUNDS = sized(25, 2, 9);
/** More threads in all than the largest machines have memory channels. */
const MOST_THREADS = 64;

const sessions = recordAgentRun();
const plan = runAtOnce(planExport(sessions, batchOptions({ layout: "padded" }))).native;

let bytes = 0;
const pack = (threads?: number) => () =>
  seconds(async () => {
    const batch = await plan.pack({}, threads === undefined ? {} : { threads });
    bytes = batch.byteLength;
    batch.release();
  });

const counts: number[] = [];
for (let threads = 1; threads < Math.min(availableParallelism(), MOST_THREADS); threads *= 2) counts.push(threads);
counts.push(Math.min(availableParallelism(), MOST_THREADS));
const contenders: Record<string, Contender> = { chosen: pack() };
for (const threads of counts) contenders[String(threads)] = pack(threads);

const times = await takeTurns(ROUNDS, contenders);
const timesOf = (name: string): readonly number[] => times[name] ?? [];
const best = counts.reduce((a, b) => (median(timesOf(String(b))) < median(timesOf(String(a))) ? b : a));
for (const threads of counts) {
  const taken = median(timesOf(String(threads)));
  report({
    what: `padded individual, warm block, ${threads} ${threads === 1 ? "thread" : "threads"}`,
    measured: `${gigabytesPerSecond(bytes, taken)}, ${milliseconds(taken)}`,
    reference: threads === 1 ? "" : `one thread, ${timesFaster(timesOf(String(threads)), timesOf("1")).toFixed(2)}x`,
  });
}
report({
  what: "padded individual, warm block, the number of threads that the export chooses",
  measured: gigabytesPerSecond(bytes, median(timesOf("chosen"))),
  reference: `${best} of ${counts.join(", ")} threads, the fastest`,
  verdict: {
    value: 100 * timesFaster(timesOf("chosen"), timesOf(String(best))),
    target: 90,
    bound: "at least",
    unit: "%",
  },
});
