import { fileURLToPath } from "node:url";
import { AGENT_RUN, makeLoad, recordedStore } from "../../export/load.js";
import { ADMIN_KEY, packSeconds, startProxy } from "../../export/proxy.js";
import { findPython, PythonPeer } from "../../export/python.js";
import { milliseconds, type Row, skipped } from "../../export/row.js";
import { sized } from "../../sized.js";
import { median } from "../../text.js";

const WHAT = "from the last accepted episode to tensors in a Python trainer";
/** Node compiles what is called often. */
const WARM_UP_ROUNDS = sized(10, 1);
const ROUNDS = sized(25, 1, 15);
const TARGET = 1.5;

interface Taken {
  readonly seconds: number;
  readonly bytes: number;
}

/**
 * Measures what a trainer that uses the Python package waits for when its last episode has ended: from the request of the
 * batch until it has all tensors, against the time that the proxy spent on planning and packing for this request.
 */
export async function measureLastEpisode(): Promise<Row> {
  const python = findPython("httpx", "numpy");
  if (python === undefined) return skipped(WHAT, "Python with httpx and numpy is missing");
  process.env["PYTHONPATH"] = fileURLToPath(new URL("../../../python/src", import.meta.url));
  const { ids } = recordedStore(makeLoad(AGENT_RUN));
  const proxy = await startProxy();
  const trainer = new PythonPeer(python, "take_batch.py", proxy.url, ADMIN_KEY);
  try {
    const rounds: (Taken & { pack: number })[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      const packedBefore = await packSeconds(proxy.url);
      const taken = await trainer.ask<Taken>(JSON.stringify(ids));
      rounds.push({ ...taken, pack: (await packSeconds(proxy.url)) - packedBefore });
    }
    const measured = rounds.slice(WARM_UP_ROUNDS);
    return {
      what: `${WHAT}, ${((measured[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`,
      measured: milliseconds(median(measured.map(({ seconds }) => seconds))),
      reference: `planning and packing ${milliseconds(median(measured.map(({ pack }) => pack)))}`,
      verdict: {
        value: median(measured.map(({ seconds, pack }) => seconds / pack)),
        target: TARGET,
        bound: "at most",
        unit: "x",
      },
    };
  } finally {
    await trainer.close();
    await proxy.stop();
  }
}
