import { AGENT_RUN, makeLoad, recordedStore } from "../load.js";
import { exportOptions, NOT_IN_BUILD } from "../options.js";
import { report, skipped } from "../row.js";

/** Compares the size of a batch that has every token once with that of a batch with one row per call. */

const WHAT = "tree layout, bytes against padded individual";

async function size(layout: string): Promise<number | undefined> {
  const options = exportOptions({ layout });
  if (!options) return undefined;
  const { store, ids } = recordedStore(makeLoad(AGENT_RUN));
  const batch = await store.exportBatch(ids, options);
  const { byteLength } = batch.bytes;
  batch.release();
  return byteLength;
}

const [tree, padded] = [await size("tree"), await size("padded")];
if (tree === undefined || padded === undefined) report(skipped(WHAT, NOT_IN_BUILD));
else {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  const verdict = { value: tree / padded, target: 1 / 6, bound: "at most", unit: "x" } as const;
  report({ what: WHAT, measured: megabytes(tree), reference: megabytes(padded), verdict });
}
