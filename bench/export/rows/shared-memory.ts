import { collectGarbage, median } from "../../kit/measure.js";
import { findPython, PythonPeer } from "../../kit/python.js";
import { milliseconds, report, skipped } from "../../kit/report.js";
import { ADMIN_KEY } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { batchChecksums, type Checksums, requireSame } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, exportOptions, makeLoad, recordedStore } from "../load.js";
import { packSeconds, startRecordedProxy } from "../proxy.js";

/**
 * Measures the time from the request of another process until it has typed views of every tensor, through a file in shared memory.
 * Compares it with the time that the server spent on planning and packing for the same request.
 */

const WHAT = "shared memory, from request to tensors in another process";
const ROUNDS = sized(25, 2, 9);

interface Opened {
  readonly status: number;
  readonly seconds: number;
  readonly bytes: number;
}

async function expected(): Promise<{ ids: string[]; sums: Checksums }> {
  const { store, ids } = recordedStore(makeLoad(AGENT_RUN));
  const batch = await store.exportBatch(ids, exportOptions());
  const sums = batchChecksums(batch);
  batch.release();
  store.release(ids);
  return { ids, sums };
}

async function rounds(peer: PythonPeer, url: string, ids: readonly string[], sums: Checksums) {
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT, transport: "shm" });
  const times: { open: number; pack: number; bytes: number }[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    collectGarbage();
    const packedBefore = await packSeconds(url);
    const { status, seconds, bytes } = await peer.ask<Opened>(JSON.stringify({ body }));
    if (status !== 200) throw new Error(`/export_batch answered ${status}`);
    const pack = (await packSeconds(url)) - packedBefore;
    if (round < 0) {
      requireSame("the shared file", sums, await peer.ask<Checksums>('{"checksums": true}'));
    } else times.push({ open: seconds, pack, bytes });
    await peer.ask('{"acknowledge": true}');
  }
  return times;
}

async function measure(python: string): Promise<void> {
  const { ids, sums } = await expected();
  const proxy = await startRecordedProxy();
  const peer = new PythonPeer(python, "open_shared.py", proxy.url, ADMIN_KEY);
  try {
    const times = await rounds(peer, proxy.url, ids, sums);
    report({
      what: `${WHAT}, ${((times[0]?.bytes ?? 0) / 1e6).toFixed(0)} MB`,
      measured: milliseconds(median(times.map(({ open }) => open))),
      reference: `planning and packing ${milliseconds(median(times.map(({ pack }) => pack)))}`,
      verdict: {
        value: median(times.map(({ open, pack }) => open / pack)),
        target: 1.5,
        bound: "at most",
        unit: "x",
      },
    });
  } finally {
    await Promise.all([peer.close(), proxy.stop()]);
  }
}

const python = findPython();
if (python === undefined) report(skipped(WHAT, "python3 is missing, which opens the file"));
else await measure(python);
