import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { batchChecksums, type Checksums, requireSame, sha256 } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { writeLoad } from "../load-file.js";
import { type Contender, median, seconds, takeTurns, timesFaster } from "../measure.js";
import { exportOptions } from "../options.js";
import { findPython, PythonPeer } from "../python.js";
import { milliseconds, report, skipped } from "../row.js";
import { allocatePadded, packTypedArrays } from "../typed-array-packer.js";

/** `exportBatch` as a trainer calls it, against what one would write in PyTorch and in plain JavaScript. */

const ROUNDS = 15;
const PYTORCH_ROUNDS = 7;
const PYTORCH_ROW = "whole exportBatch against PyTorch lists + pad + cat";
const SCRIPT_ROW = "whole exportBatch against JavaScript typed arrays";

const load = makeLoad(AGENT_RUN);
const { store, ids } = recordedStore(load);
const options = exportOptions();

const exportOnce: Contender = async () => {
  const started = performance.now();
  const batch = await store.exportBatch(ids, options);
  const taken = (performance.now() - started) / 1000;
  batch.release();
  return taken;
};

async function ourChecksums(): Promise<Checksums> {
  const batch = await store.exportBatch(ids, options);
  const sums = batchChecksums(batch);
  batch.release();
  return sums;
}

async function againstTypedArrays(ours: Checksums): Promise<void> {
  const rows = load.reduce((sum, conversation) => sum + conversation.length, 0);
  const out = allocatePadded(rows, AGENT_RUN.tokens);
  const times = await takeTurns(ROUNDS, {
    ours: exportOnce,
    script: () => seconds(() => packTypedArrays(load, AGENT_RUN.tokens, out)),
  });
  requireSame(
    "typed arrays",
    ours,
    Object.fromEntries(Object.entries(out).map(([name, data]) => [name, sha256(data)])),
  );
  report({
    what: SCRIPT_ROW,
    ours: milliseconds(median(times.ours)),
    reference: `${milliseconds(median(times.script))}, one thread, reused block`,
    verdict: { value: timesFaster(times.ours, times.script), wanted: 3, sense: "at least", unit: "x" },
  });
}

async function againstPytorch(ours: Checksums): Promise<void> {
  const python = findPython("torch");
  if (python === undefined) return report(skipped(PYTORCH_ROW, "no Python with torch here (Debian: python3-torch)"));
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const file = join(folder, "load.bin");
  writeLoad(file, load);
  const peer = new PythonPeer(python, "pad_rows.py", file, String(DISCOUNT));
  try {
    const times = await takeTurns(PYTORCH_ROUNDS, {
      ours: exportOnce,
      pytorch: async () => (await peer.ask<{ seconds: number }>("pack")).seconds,
    });
    requireSame("PyTorch", ours, await peer.ask<Checksums>("checksums"));
    report({
      what: PYTORCH_ROW,
      ours: milliseconds(median(times.ours)),
      reference: milliseconds(median(times.pytorch)),
      verdict: { value: timesFaster(times.ours, times.pytorch), wanted: 100, sense: "at least", unit: "x" },
    });
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true });
  }
}

const ours = await ourChecksums();
await againstPytorch(ours);
await againstTypedArrays(ours);
