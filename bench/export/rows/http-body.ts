import { sha256 } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { median, takeTurns, timesFaster } from "../measure.js";
import { exportOptions } from "../options.js";
import { ADMIN_KEY, packSeconds, startBareServer, startProxy } from "../proxy.js";
import { findPython, PythonPeer } from "../python.js";
import { gigabytesPerSecond, milliseconds, report, skipped } from "../row.js";

/**
 * `POST /export_batch` over loopback, planning and packing included, against a bare Node server that has as many bytes
 * ready. One reader, in a third process, reads both into the same buffer.
 */

const WHAT = "POST /export_batch over loopback HTTP";
const ROUNDS = 25;

/** What the library exports: the server's sessions have the same names and tokens. */
async function expected(): Promise<{ ids: string[]; bytes: number; sum: string }> {
  const { store, ids } = recordedStore(makeLoad(AGENT_RUN));
  const batch = await store.exportBatch(ids, exportOptions());
  const result = { ids, bytes: batch.bytes.byteLength, sum: sha256(batch.bytes) };
  batch.release();
  store.release(ids);
  return result;
}

async function measure(python: string): Promise<void> {
  const { ids, bytes, sum } = await expected();
  const proxy = await startProxy();
  const bare = await startBareServer(bytes);
  const reader = new PythonPeer(python, "read_body.py", String(bytes));
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT });
  const read = async (url: string, path: string) => {
    const request = JSON.stringify({ url, path, body, key: ADMIN_KEY });
    const answer = await reader.ask<{ seconds: number; bytes: number }>(request);
    if (answer.bytes !== bytes) throw new Error(`${path} sent ${answer.bytes} bytes, not ${bytes}`);
    return answer.seconds;
  };
  try {
    const times = await takeTurns(ROUNDS, {
      bare: () => read(bare.url, "/"),
      proxy: () => read(proxy.url, "/export_batch"),
    });
    const { sha256: readSum } = await reader.ask<{ sha256: string }>('{"checksum": true}');
    if (readSum !== sum) throw new Error("the body is not the block that the library exports");
    const packed = (await packSeconds(proxy.url)) / (ROUNDS + 1);
    const describe = (seconds: number) => `${milliseconds(seconds)}, ${gigabytesPerSecond(bytes, seconds)}`;
    report({
      what: `${WHAT}, ${(bytes / 1e6).toFixed(0)} MB`,
      ours: `${describe(median(times.proxy))}, of it plan and pack ${milliseconds(packed)} on average`,
      reference: `bare Node ${describe(median(times.bare))}`,
      verdict: { value: 100 * timesFaster(times.proxy, times.bare), wanted: 60, sense: "at least", unit: "%" },
    });
  } finally {
    await Promise.all([reader.close(), proxy.stop(), bare.stop()]);
  }
}

const python = findPython();
if (python === undefined) report(skipped(WHAT, "no python3 here to read the body"));
else await measure(python);
