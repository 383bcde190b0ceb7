import { setTimeout as sleep } from "node:timers/promises";
import { collectGarbage, median } from "../../kit/measure.js";
import { report } from "../../kit/report.js";
import { ADMIN_KEY } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { BodyReader } from "../body-reader.js";
import { DISCOUNT, exportOptions, makeLoad, recordedStore } from "../load.js";
import { type Stall, stallDuring } from "../loop-stall.js";
import { createRecordedServer } from "../recorded-server.js";

/**
 * Measures the longest stall of the event loop while a batch of 160,000 rows is exported: once by the library, and once by a
 * server whose client is a separate process. An idle event loop is the reference.
 *
 * During most exports, V8 collects its whole heap too. The final pause grows with the heap of the server, and the export cannot shorten it.
 * So the target is checked without this pause, and the stall with it is printed too.
 */

const ROUNDS = sized(7, 2, 3);
const SHAPE = { sessions: sized(10_000, 50), turns: 16, tokens: 64 };
const ROWS = (SHAPE.sessions * SHAPE.turns).toLocaleString("en");

/** Exports in turns with an idle event loop, and reports the longest stall of each. */
async function measure(what: string, exportOnce: () => Promise<void>): Promise<void> {
  const exporting: Stall[] = [];
  const resting: Stall[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    collectGarbage();
    await sleep(20);
    const started = performance.now();
    const stall = await stallDuring(exportOnce);
    const taken = performance.now() - started;
    const rest = await stallDuring(() => sleep(taken));
    // The first round compiles code.
    if (round < 0) continue;
    exporting.push(stall);
    resting.push(rest);
  }
  const value = median(exporting.map(({ withoutMajorPauses }) => withoutMajorPauses));
  const all = median(exporting.map(({ longest }) => longest));
  report({
    what: `longest stall of the event loop, ${ROWS} rows, ${what}`,
    measured: `${value.toFixed(1)} ms, ${all.toFixed(1)} ms with major collections`,
    reference: `idle ${median(resting.map(({ longest }) => longest)).toFixed(1)} ms`,
    verdict: { value, target: 20, bound: "at most", unit: " ms" },
  });
}

async function measureLibrary(): Promise<void> {
  const { store, ids } = recordedStore(makeLoad(SHAPE));
  await measure("exportBatch", async () => {
    (await store.exportBatch(ids, exportOptions())).release();
  });
  store.close();
}

async function measureServer(): Promise<void> {
  const { app, ids } = await createRecordedServer(SHAPE, ADMIN_KEY);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const reader = new BodyReader();
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT });
  try {
    await measure("POST /export_batch", () => reader.post(`${url}/export_batch`, body, ADMIN_KEY));
  } finally {
    await reader.close();
    await app.close();
  }
}

await measureLibrary();
await measureServer();
