import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, takeTurns, timesFaster } from "../../kit/measure.js";
import { findPython, PythonPeer } from "../../kit/python.js";
import { gigabytesPerSecond, milliseconds, report, skipped } from "../../kit/report.js";
import { ADMIN_KEY } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { batchChecksums, type Checksums, requireSame } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, exportOptions, makeLoad, recordedStore } from "../load.js";
import { packSeconds, startBareServer, startRecordedProxy } from "../proxy.js";

/**
 * Compares `POST /export_batch` over loopback and over a Unix socket, planning and packing included, with a bare Node server that has
 * the same number of bytes in memory. One reader, in a third process, reads all of them into the same buffer.
 */

const WHAT = "POST /export_batch";
/** Bytes by which a server's metadata may be longer than the library's, because it also describes the server. */
const MORE_METADATA = 1 << 20;
const ROUNDS = sized(25, 2, 7);

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
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const [proxySocket, bareSocket] = [join(folder, "proxy.sock"), join(folder, "bare.sock")];
  const proxy = await startRecordedProxy(proxySocket);
  const reader = new PythonPeer(python, "read_body.py", String(expectedBytes + MORE_METADATA));
  const body = JSON.stringify({ session_ids: ids, discount: DISCOUNT });
  const post = (url: string, path: string) =>
    reader.ask<{ seconds: number; bytes: number }>(JSON.stringify({ url, path, body, key: ADMIN_KEY }));
  const children: { stop(): Promise<void> }[] = [proxy, { stop: () => reader.close() }];
  try {
    const { bytes } = await post(proxy.url, "/export_batch");
    requireSame("the body", sums, await reader.ask<Checksums>('{"checksums": true}'));
    const bare = await startBareServer(bytes, bareSocket);
    children.push(bare);
    const read = async (url: string, path: string) => {
      const answer = await post(url, path);
      if (answer.bytes !== bytes) throw new Error(`${path} sent ${answer.bytes} bytes, not ${bytes}`);
      return answer.seconds;
    };
    const times = await takeTurns(ROUNDS, {
      bare: () => read(bare.url, "/"),
      proxy: () => read(proxy.url, "/export_batch"),
      bareSocket: () => read(`unix:${bareSocket}`, "/"),
      proxySocket: () => read(`unix:${proxySocket}`, "/export_batch"),
    });
    // The two proxies, each with a warm-up, and the request for the checksums.
    const packed = (await packSeconds(proxy.url)) / (2 * (ROUNDS + 1) + 1);
    const reportPair = (over: string, measured: readonly number[], reference: readonly number[]) => {
      const describe = (seconds: number) => `${milliseconds(seconds)}, ${gigabytesPerSecond(bytes, seconds)}`;
      report({
        what: `${WHAT} over ${over}, ${(bytes / 1e6).toFixed(0)} MB`,
        measured: `${describe(median(measured))}, of which planning and packing ${milliseconds(packed)} on average over both`,
        reference: `bare Node ${describe(median(reference))}`,
        verdict: { value: 100 * timesFaster(measured, reference), target: 85, bound: "at least", unit: "%" },
      });
    };
    reportPair("loopback HTTP", times.proxy, times.bare);
    reportPair("a Unix socket", times.proxySocket, times.bareSocket);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    rmSync(folder, { recursive: true });
  }
}

const python = findPython();
if (python === undefined) report(skipped(WHAT, "python3 is missing, which reads the body"));
else await measure(python);
