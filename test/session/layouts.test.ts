import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { conversationTree, type Made, recordTree } from "../support/conversation-tree.js";

const DISCOUNT = 0.5;

function exported(made: readonly Made[]) {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  recordTree(session, made);
  session.end();
  return store;
}

const sequence = ({ prompt, output }: Made) => [...prompt, ...output];

describe("layout packed", () => {
  it("is the individual rows, one after another", async () => {
    await fc.assert(
      fc.asyncProperty(conversationTree, async (made) => {
        const batch = await exported(made).exportBatch(["s"], { layout: "packed", discount: DISCOUNT });
        const { input_ids, position_ids, cu_seqlens, loss_mask } = batch.tensors;
        expect([...input_ids.data]).toEqual(made.flatMap(sequence));
        expect([...position_ids.data]).toEqual(made.flatMap((each) => sequence(each).map((_, i) => i)));
        expect([...loss_mask.data]).toEqual(made.flatMap((m) => [...m.prompt.map(() => 0), ...m.output.map(() => 1)]));
        const ends = made.map((_, i) => made.slice(0, i + 1).flatMap(sequence).length);
        expect([...cu_seqlens.data]).toEqual([0, ...ends]);
        batch.release();
      }),
      { numRuns: 60 },
    );
  });
});

describe("layout tree", () => {
  it("holds every token once, and gives back every individual row from subtree_end", async () => {
    await fc.assert(
      fc.asyncProperty(conversationTree, async (made) => {
        const store = exported(made);
        const rows = await store.exportBatch(["s"], { discount: DISCOUNT, release: false });
        const tree = await store.exportBatch(["s"], { layout: "tree", discount: DISCOUNT });
        const { input_ids, position_ids, subtree_end, node_offsets, node_lengths, node_parents, node_rewards } =
          tree.tensors;
        const rebuilt: number[][] = [];
        tree.rows.forEach((row, node) => {
          const end = node_offsets.data[node + 1] ?? 0;
          const own = end - (node_offsets.data[node] ?? 0);
          const parent = rebuilt[node_parents.data[node] ?? -1] ?? [];
          const seen = Array.from({ length: end }, (_, j) => j).filter((j) => end - 1 < (subtree_end.data[j] ?? 0));
          const tokens = own > 0 ? seen.map((j) => input_ids.data[j] ?? -1) : parent.slice(0, node_lengths.data[node]);
          rebuilt.push(tokens);
          expect(tokens).toHaveLength(node_lengths.data[node] ?? -1);
          const positions = own > 0 ? seen.map((j) => position_ids.data[j]) : tokens.map((_, i) => i);
          expect(positions).toEqual(tokens.map((_, i) => i));
          const index = rows.rows.findIndex((each) => each.interactionId === row.interactionId);
          expect(tokens).toEqual(sequence(made[index] as Made));
          expect(node_rewards.data[node]).toBe(rows.tensors.rewards.data[index]);
        });
        expect(tree.rows).toHaveLength(made.length);
        rows.release();
        tree.release();
      }),
      { numRuns: 100 },
    );
  });

  it("takes no max_length", async () => {
    const store = exported([
      { messages: [{ role: "user", content: "a" }], prompt: [1], output: [2], parent: -1, reward: 1 },
    ]);
    const refused = store.exportBatch(["s"], { layout: "tree", maxLength: 5 });
    await expect(refused).rejects.toMatchObject({ code: "invalid_value", param: "max_length" });
  });
});
