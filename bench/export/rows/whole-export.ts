import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Contender, median, seconds, takeTurns, timesFaster } from "../../kit/measure.js";
import { findPython, PythonPeer } from "../../kit/python.js";
import { milliseconds, report, skipped } from "../../kit/report.js";
import { sized } from "../../kit/sized.js";
import { batchChecksums, type Checksums, requireSame, sha256 } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, exportOptions, makeLoad, recordedStore, writeLoad } from "../load.js";
import { allocatePadded, packTypedArrays } from "../typed-array-packer.js";

/** Compares `exportBatch`, as a trainer calls it, with the same work in PyTorch and in plain JavaScript. */

const ROUNDS = sized(15, 2, 7);
const PYTORCH_ROUNDS = sized(7, 2, 4);
const PYTORCH_ROW = "whole exportBatch against PyTorch lists + pad + cat";
const SCRIPT_ROW = "whole exportBatch against JavaScript typed arrays";
/** Tensors that all contenders write. Only the export also writes tensors that describe rows. */
const COMPARED = ["input_ids", "attention_mask", "loss_mask", "logprobs", "versions", "rewards"];
/** Runs per burst. In a burst, the processor's caches hold the recorded tokens; otherwise, the data of the other contender. */
const BURST = sized(5, 1);

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

async function exportChecksums(): Promise<Checksums> {
  const batch = await store.exportBatch(ids, options);
  const sums = batchChecksums(batch);
  batch.release();
  return sums;
}

/** Returns the median seconds of the runs of a burst. The first run is not measured: it warms the caches. */
async function inBurst(once: Contender): Promise<number> {
  const taken: number[] = [];
  for (let run = 0; run <= BURST; run++) taken.push(await once());
  return median(taken.slice(1));
}

function medianAndBest(times: readonly number[]): string {
  return `${milliseconds(median(times))}, best ${milliseconds(Math.min(...times))}`;
}

interface Reference {
  readonly what: string;
  readonly once: Contender;
  readonly rounds: number;
  readonly target: number;
  readonly note: string;
}

/** Reports two rows: in one, each export follows a run of the reference; in the other, it follows another export. */
async function compare({ what, once, rounds, target, note }: Reference): Promise<void> {
  const turns = await takeTurns(rounds, { rolltape: exportOnce, reference: once });
  const bursts = await takeTurns(Math.ceil(rounds / BURST), {
    rolltape: () => inBurst(exportOnce),
    reference: () => inBurst(once),
  });
  for (const [how, times] of [
    ["in turns", turns],
    ["batch after batch", bursts],
  ] as const) {
    report({
      what: `${what}, ${how}`,
      measured: medianAndBest(times.rolltape),
      reference: `${medianAndBest(times.reference)}${note}`,
      verdict: { value: timesFaster(times.rolltape, times.reference), target, bound: "at least", unit: "x" },
    });
  }
}

async function againstTypedArrays(checksums: Checksums): Promise<void> {
  const rows = load.reduce((sum, conversation) => sum + conversation.length, 0);
  const out = allocatePadded(rows, AGENT_RUN.tokens);
  packTypedArrays(load, AGENT_RUN.tokens, out);
  const sums = Object.entries(out).map(([name, data]): [string, string] => [name, sha256(data)]);
  requireSame("typed arrays", checksums, Object.fromEntries(sums), COMPARED);
  await compare({
    what: SCRIPT_ROW,
    once: () => seconds(() => packTypedArrays(load, AGENT_RUN.tokens, out)),
    rounds: ROUNDS,
    target: 3,
    note: ", one thread, reused block",
  });
}

async function againstPytorch(checksums: Checksums): Promise<void> {
  const python = findPython("torch");
  if (python === undefined) return report(skipped(PYTORCH_ROW, "Python with torch is missing (Debian: python3-torch)"));
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const file = join(folder, "load.bin");
  writeLoad(file, load);
  const peer = new PythonPeer(python, "pad_rows.py", file, String(DISCOUNT));
  try {
    await peer.ask("pack");
    requireSame("PyTorch", checksums, await peer.ask<Checksums>("checksums"), COMPARED);
    await compare({
      what: PYTORCH_ROW,
      once: async () => (await peer.ask<{ seconds: number }>("pack")).seconds,
      rounds: PYTORCH_ROUNDS,
      target: 100,
      note: "",
    });
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true });
  }
}

const checksums = await exportChecksums();
await againstPytorch(checksums);
await againstTypedArrays(checksums);
