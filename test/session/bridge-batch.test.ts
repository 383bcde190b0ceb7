import { expect, it } from "vitest";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { turn, user } from "../helpers/turn.js";

/** Batches of a trainer bridge that records by itself. */

function storeOf(rest: object): TrajectoryStore {
  const store = new TrajectoryStore();
  const session = store.createSession({ sessionId: "s" });
  session.record({ ...turn([user("a")], [1], [2]), ...rest });
  session.end();
  return store;
}

it.each([
  ["temperature", 0],
  ["truncated", 1],
  ["raw", 2],
  ["unknown", 3],
] as const)("has the code of what recorded log probabilities include: %s", async (logprobs, code) => {
  using store = storeOf({ sampling: { logprobs } });
  using batch = await store.exportBatch(["s"]);
  expect([...(batch.tensors.row_logprob_content?.data ?? [])]).toEqual([code]);
});

it("is released at the end of its scope", async () => {
  using store = storeOf({});
  const batch = await store.exportBatch(["s"]);
  const { data } = batch.tensors.input_ids;
  {
    using scoped = batch;
    expect(scoped.tensors.input_ids.data).toHaveLength(2);
  }
  expect(data).toHaveLength(0);
});
