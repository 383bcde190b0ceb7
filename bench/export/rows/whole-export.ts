import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sized } from "../../sized.js";
import { batchChecksums, type Checksums, requireSame, sha256 } from "../checksum.js";
import { AGENT_RUN, DISCOUNT, makeLoad, recordedStore } from "../load.js";
import { writeLoad } from "../load-file.js";
import { type Contender, median, seconds, takeTurns, timesFaster } from "../measure.js";
import { exportOptions } from "../options.js";
import { findPython, PythonPeer } from "../python.js";
import { milliseconds, report, skipped } from "../row.js";
import { allocatePadded, packTypedArrays } from "../typed-array-packer.js";

/** `exportBatch` as a trainer calls it, against what one would write in PyTorch and in plain JavaScript. */

const ROUNDS = sized(15, 2);
const PYTORCH_ROUNDS = sized(7, 2);
const PYTORCH_ROW = "whole exportBatch against PyTorch lists + pad + cat";
const SCRIPT_ROW = "whole exportBatch against JavaScript typed arrays";
/** Tensors that all contenders write. Those that describe rows are more work, which the export alone does. */
const COMPARED = ["input_ids", "attention_mask", "loss_mask", "logprobs", "versions", "rewards"];
/** In a burst the caches hold what was recorded; in turns, what the other contender left in them. */
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

async function ourChecksums(): Promise<Checksums> {
  const batch = await store.exportBatch(ids, options);
  const sums = batchChecksums(batch);
  batch.release();
  return sums;
}

/** Seconds of one run within a burst: the median, the first one warms. */
async function inBurst(once: Contender): Promise<number> {
  const taken: number[] = [];
  for (let run = 0; run <= BURST; run++) taken.push(await once());
  return median(taken.slice(1));
}

function medianAndBest(times: readonly number[]): string {
  return `${milliseconds(median(times))}, best ${milliseconds(Math.min(...times))}`;
}

interface Rival {
  readonly what: string;
  readonly once: Contender;
  readonly rounds: number;
  readonly wanted: number;
  readonly note: string;
}

/** One row in which each export follows one of the rival's, one in which it follows another of ours. */
async function compare({ what, once, rounds, wanted, note }: Rival): Promise<void> {
  const turns = await takeTurns(rounds, { ours: exportOnce, rival: once });
  const bursts = await takeTurns(Math.ceil(rounds / BURST), {
    ours: () => inBurst(exportOnce),
    rival: () => inBurst(once),
  });
  for (const [how, times] of [
    ["in turns", turns],
    ["batch after batch", bursts],
  ] as const) {
    report({
      what: `${what}, ${how}`,
      ours: medianAndBest(times.ours),
      reference: `${medianAndBest(times.rival)}${note}`,
      verdict: { value: timesFaster(times.ours, times.rival), wanted, sense: "at least", unit: "x" },
    });
  }
}

async function againstTypedArrays(ours: Checksums): Promise<void> {
  const rows = load.reduce((sum, conversation) => sum + conversation.length, 0);
  const out = allocatePadded(rows, AGENT_RUN.tokens);
  packTypedArrays(load, AGENT_RUN.tokens, out);
  const sums = Object.entries(out).map(([name, data]): [string, string] => [name, sha256(data)]);
  requireSame("typed arrays", ours, Object.fromEntries(sums), COMPARED);
  await compare({
    what: SCRIPT_ROW,
    once: () => seconds(() => packTypedArrays(load, AGENT_RUN.tokens, out)),
    rounds: ROUNDS,
    wanted: 3,
    note: ", one thread, reused block",
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
    await peer.ask("pack");
    requireSame("PyTorch", ours, await peer.ask<Checksums>("checksums"), COMPARED);
    await compare({
      what: PYTORCH_ROW,
      once: async () => (await peer.ask<{ seconds: number }>("pack")).seconds,
      rounds: PYTORCH_ROUNDS,
      wanted: 100,
      note: "",
    });
  } finally {
    await peer.close();
    rmSync(folder, { recursive: true });
  }
}

const ours = await ourChecksums();
await againstPytorch(ours);
await againstTypedArrays(ours);
