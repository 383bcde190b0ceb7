import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/session/batch/batch.js";
import { at } from "../../src/session/batch/plan.js";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { manySessions } from "../helpers/export-model/arbitraries.js";
import { recordInto } from "../helpers/export-model/record.js";

interface Row {
  readonly interaction: string;
  readonly ids: number[];
  readonly lossMask: number[];
  readonly logprobs: number[];
  readonly versions: number[];
  readonly reward: number | undefined;
}

/** Reads the rows of a tree batch as docs/reference/batch-format.md describes. */
function readTreeRows(tree: Batch<"tree">): Row[] {
  const { subtree_end, position_ids, node_offsets, node_parents, node_lengths, node_rewards } = tree.tensors;
  const places: number[][] = [];
  return tree.rows.map(({ sessionId, interactionId }, node) => {
    const [start = 0, end = 0] = node_offsets.data.slice(node, node + 2);
    const seen = Array.from({ length: end }, (_, j) => j).filter((j) => end - 1 < (subtree_end.data[j] ?? 0));
    const parent = places[node_parents.data[node] ?? -1] ?? [];
    const row = end > start ? seen : parent.slice(0, node_lengths.data[node]);
    places.push(row);
    expect(row.map((place) => position_ids.data[place])).toEqual(row.map((_, i) => i));
    const own = (tensor: "loss_mask" | "logprobs" | "versions", otherwise: number) =>
      row.map((place) => (place < start ? otherwise : (tree.tensors[tensor].data[place] ?? Number.NaN)));
    return {
      interaction: `${sessionId}/${interactionId}`,
      ids: row.map((place) => tree.tensors.input_ids.data[place] ?? -1),
      lossMask: own("loss_mask", 0),
      logprobs: own("logprobs", 0),
      versions: own("versions", -1),
      reward: node_rewards.data[node],
    };
  });
}

function readPackedRows(batch: Batch<"packed">): Row[] {
  const { input_ids, loss_mask, logprobs, versions, cu_seqlens, rewards } = batch.tensors;
  return batch.rows.map(({ sessionId, interactionId }, i) => {
    const [start, end] = cu_seqlens.data.slice(i, i + 2);
    return {
      interaction: `${sessionId}/${interactionId}`,
      ids: [...input_ids.data.subarray(start, end)],
      lossMask: [...loss_mask.data.subarray(start, end)],
      logprobs: [...logprobs.data.subarray(start, end)],
      versions: [...versions.data.subarray(start, end)],
      reward: rewards.data[i],
    };
  });
}

const byInteraction = (rows: readonly Row[]) => new Map(rows.map((row) => [row.interaction, row]));

describe("layout tree", () => {
  it("contains the individual rows, which subtree_end and position_ids restore", async () => {
    const store = new TrajectoryStore();
    const property = fc.asyncProperty(manySessions({ undelivered: false }), async ({ exported }) => {
      for (const session of exported) recordInto(store, session);
      const ids = exported.map((session) => session.sessionId);
      const rows = await store.exportBatch(ids, { layout: "packed", discount: 0.5, release: false });
      const tree = await store.exportBatch(ids, { layout: "tree", discount: 0.5 });
      expect(byInteraction(readTreeRows(tree))).toEqual(byInteraction(readPackedRows(rows)));
      expect(tree.rows).toHaveLength(rows.rows.length);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

it("reads no entry outside of a list", () => {
  expect(at([5, 6], 1)).toBe(6);
  expect(() => at([5], 1)).toThrow("index 1 is outside of a list with 1 entries");
});
