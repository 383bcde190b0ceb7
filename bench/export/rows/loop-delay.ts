import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage, median } from "../../kit/measure.js";
import { report } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { AGENT_RUN, exportOptions, makeLoad, recordedStore } from "../load.js";
import { type Delay, delayDuring } from "../loop-stall.js";

/** Measures how late the event loop's timers are while it exports 2 GB, and compares this with an idle event loop. */

const ROUNDS = sized(7, 2, 3);
/** Their batch has 2.0 GB in the padded layout: 17 bytes per token slot. */
const SESSIONS = sized(450, 4);

const { store, ids } = recordedStore(makeLoad({ ...AGENT_RUN, sessions: SESSIONS }));

const exporting: (Delay & { seconds: number })[] = [];
const resting: Delay[] = [];
let bytes = 0;
for (let round = 0; round < ROUNDS; round++) {
  collectGarbage();
  const started = performance.now();
  const { delay, result } = await delayDuring(() => store.exportBatch(ids, exportOptions()));
  const seconds = (performance.now() - started) / 1000;
  bytes = result.byteLength;
  result.release();
  exporting.push({ ...delay, seconds });
  resting.push((await delayDuring(() => sleep(seconds * 1000))).delay);
}

const of = <K extends string>(list: readonly Record<K, number>[], key: K) => median(list.map((item) => item[key]));
const show = (delays: readonly Delay[]) =>
  `p99 ${of(delays, "p99").toFixed(1)} ms, max ${of(delays, "max").toFixed(1)} ms`;
report({
  what: `event loop while it exports ${(bytes / 1e9).toFixed(1)} GB in ${of(exporting, "seconds").toFixed(2)} s`,
  measured: show(exporting),
  reference: `idle ${show(resting)}`,
  verdict: { value: of(exporting, "p99"), target: 20, bound: "at most", unit: " ms" },
});
