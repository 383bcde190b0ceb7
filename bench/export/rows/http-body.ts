import { sized } from "../../sized.js";
import { batchChecksums, type Checksums, requireSame } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { median, takeTurns, timesFaster } from "../measure.js";
import { exportOptions } from "../options.js";
import { ADMIN_KEY, packSeconds, startBareServer, startProxy } from "../proxy.js";
import { findPython, PythonPeer } from "../python.js";
import { gigabytesPerSecond, milliseconds, report, skipped } from "../row.js";

/**
 * Compares `POST /export_batch` over loopback, planning and packing included, with a bare Node server that has the same number of
 * bytes in memory. One reader, in a third process, reads both into the same buffer.
 */

const WHAT = "POST /export_batch over loopback HTTP";
/** Bytes by which a server's metadata may be longer than the library's, because it also describes the server. */
const MORE_METADATA = 1 << 20;
const ROUNDS = sized(25, 2, 9);

/** Exports with the library. The server's sessions have the same names and tokens. */
async function expected(): Promise<{ ids: string[]; bytes: number; sums: Checksums }> {
  const { store, ids } = recordedStore(makeLoad(AGENT_RUN));
  const batch = await store.exportBatch(ids, exportOptions());
  const result = { ids, bytes: batch.bytes.byteLength, sums: batchChecksums(batch) };
  batch.release();
  store.release(ids);
  return result;
}

async function measure(python: string): Promise<void> {
  const { ids, bytes: expectedBytes, sums } = await expected();
  const proxy = await startProxy();
  const reader = new PythonPeer(python, "read_body.py", String(expectedBytes + MORE_METADATA));
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT });
  const post = (url: string, path: string) =>
    reader.ask<{ seconds: number; bytes: number }>(JSON.stringify({ url, path, body, key: ADMIN_KEY }));
  const children: { stop(): Promise<void> }[] = [proxy, { stop: () => reader.close() }];
  try {
    const { bytes } = await post(proxy.url, "/export_batch");
    requireSame("the body", sums, await reader.ask<Checksums>('{"checksums": true}'));
    const bare = await startBareServer(bytes);
    children.push(bare);
    const read = async (url: string, path: string) => {
      const answer = await post(url, path);
      if (answer.bytes !== bytes) throw new Error(`${path} sent ${answer.bytes} bytes, not ${bytes}`);
      return answer.seconds;
    };
    const times = await takeTurns(ROUNDS, {
      bare: () => read(bare.url, "/"),
      proxy: () => read(proxy.url, "/export_batch"),
    });
    const packed = (await packSeconds(proxy.url)) / (ROUNDS + 2);
    const describe = (seconds: number) => `${milliseconds(seconds)}, ${gigabytesPerSecond(bytes, seconds)}`;
    report({
      what: `${WHAT}, ${(bytes / 1e6).toFixed(0)} MB`,
      measured: `${describe(median(times.proxy))}, of which planning and packing ${milliseconds(packed)} on average`,
      reference: `bare Node ${describe(median(times.bare))}`,
      verdict: { value: 100 * timesFaster(times.proxy, times.bare), target: 60, bound: "at least", unit: "%" },
    });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
  }
}

const python = findPython();
if (python === undefined) report(skipped(WHAT, "python3 is missing, which reads the body"));
else await measure(python);
