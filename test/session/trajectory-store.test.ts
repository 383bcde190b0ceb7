import { describe, expect, it } from "vitest";
import { type StoreExportOptions, TrajectoryStore } from "../../src/session/trajectory-store.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { assistant, turn, user } from "../helpers/turn.js";

describe("TrajectoryStore", () => {
  it("records, rewards and exports as docs/reference/library.md shows", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "task-0" });
    const first = session.record(turn([user("a")], [1, 2], [3, 4]));
    const second = session.record(turn([user("a"), assistant("ok"), user("b")], [1, 2, 3, 4, 5], [6]));
    session.setReward(1.0, first);
    session.setReward(0.5);
    session.end();
    const batch = await store.exportBatch(["task-0"], { style: "individual", discount: 0.5, layout: "padded" });
    expect(batch.rows).toEqual([
      {
        sessionId: "task-0",
        taskId: "task-0",
        groupId: null,
        split: "train",
        interactionId: first,
        length: 4,
        reward: 1.25,
      },
      {
        sessionId: "task-0",
        taskId: "task-0",
        groupId: null,
        split: "train",
        interactionId: second,
        length: 6,
        reward: 0.5,
      },
    ]);
    const { input_ids, loss_mask, versions, rewards } = batch.tensors;
    expect(input_ids).toMatchObject({ dtype: "I32", shape: [2, 6] });
    expect([...input_ids.data]).toEqual([1, 2, 3, 4, 0, 0, 1, 2, 3, 4, 5, 6]);
    expect([...loss_mask.data]).toEqual([0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    expect([...versions.data]).toEqual([-1, -1, 2, 2, -1, -1, -1, -1, -1, -1, -1, 2]);
    expect([...rewards.data]).toEqual([1.25, 0.5]);
    batch.release();
    batch.release();
    expect(input_ids.data.length).toBe(0);
  });

  it.each(["sessionId", "taskId", "groupId"])(
    "refuses a %s that is not a non-empty string, and creates no session",
    (field) => {
      const store = new TrajectoryStore();
      for (const value of ["", 7, null]) {
        expect(() => store.createSession({ sessionId: "s", [field]: value })).toThrow(
          expect.objectContaining({ code: "invalid_value", param: field }) as Error,
        );
      }
      expect(store.createSession({ sessionId: "s" }).id).toBe("s");
    },
  );

  it("packs a safetensors file whose tensors are views of its bytes", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("ü")], [1], [2, 3]));
    session.end();
    const batch = await store.exportBatch(["s"]);
    const { tensors } = readSafetensors(batch.bytes);
    for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
      const view = batch.tensors[name as "input_ids"];
      expect({ dtype: view.dtype, shape: view.shape, data: [...view.data] }).toEqual({ dtype, shape, data });
      expect(view.data.buffer).toBe(batch.bytes.buffer);
    }
  });

  it("frees exported sessions unless release is false", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1], [2]));
    session.end();
    const kept = await store.exportBatch(["s"], { release: false });
    const again = await store.exportBatch(["s"]);
    expect([...again.bytes]).toEqual([...kept.bytes]);
    await expect(store.exportBatch(["s"])).rejects.toMatchObject({ code: "session_not_found" });
  });

  it.each([
    [{ discount: 1.5 }, "discount"],
    [{ discount: -0.1 }, "discount"],
    [{ discount: Number.NaN }, "discount"],
    [{ style: "tree" }, "style"],
    [{ onMismatch: "guess" }, "onMismatch"],
    [{ layout: "ragged" }, "layout"],
    [{ padTokenId: 1.5 }, "padTokenId"],
    [{ padSide: "both" }, "padSide"],
    [{ padToMultipleOf: 0 }, "padToMultipleOf"],
    [{ padToMultipleOf: 2 ** 31 }, "padToMultipleOf"],
    [{ maxLength: 0 }, "maxLength"],
    [{ overflow: "wrap" }, "overflow"],
    [{ memory: "disk" }, "memory"],
    [{ pad_to: 3 }, "pad_to"],
    [{ release: "no" }, "release"],
  ])("refuses %j and keeps the sessions", async (options, param) => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1], [2]));
    session.end();
    await expect(store.exportBatch(["s"], options as StoreExportOptions)).rejects.toMatchObject({
      code: "invalid_value",
      param,
    });
    expect((await store.exportBatch(["s"])).rows).toHaveLength(1);
  });

  it.each([
    [{ maxLength: 3 }, "maxLength", /longer than maxLength 3.*a larger maxLength/s],
    [{ layout: "tree", maxLength: 3 }, "maxLength", /^maxLength must be absent/],
    [{ style: "concat" }, undefined, /onMismatch "split"/],
  ] as const)("names options in camel case in the error for %j", async (options, param, message) => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1, 2], [3, 4]));
    session.record(turn([user("a"), assistant("ok"), user("b")], [1, 2, 9], [6]));
    session.end();
    const refusal = { param, message: expect.stringMatching(message) as string };
    await expect(store.exportBatch(["s"], options)).rejects.toMatchObject(refusal);
    expect(() => session.setReward(1, "none")).toThrow(expect.objectContaining({ param: "interactionId" }));
  });

  it.each([
    [[1, 2, 0], "at position 2 the parent has token 3, but the child has token 0. Use"],
    [[1, 2], "at position 2 the parent has token 3, but the child ends. Use"],
  ])("says where the prompt %j does not continue its parent", async (promptIds, message) => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1, 2], [3, 4]));
    session.record(turn([user("a"), assistant("ok"), user("b")], promptIds, [6]));
    session.end();
    await expect(store.exportBatch(["s"], { style: "concat" })).rejects.toThrow(message);
  });

  it("records a call with 150,000 messages and a call that continues it", { timeout: 60_000 }, async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    const messages = Array.from({ length: 150_000 }, (_, i) => (i % 2 === 0 ? user(`${i}`) : assistant(`${i}`)));
    session.record(turn(messages, [1], [2]));
    session.record(turn([...messages, assistant("ok"), user("more")], [1, 2, 3], [4]));
    session.record({ ...turn([user("a")], [5], [6]), output: messages });
    session.end();
    const batch = await store.exportBatch(["s"], { style: "concat" });
    expect([...batch.tensors.input_ids.data]).toEqual([1, 2, 3, 4, 5, 6, 0, 0]);
  });

  it("refuses to export unknown, active and repeated sessions, and to record after the end", async () => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    session.record(turn([user("a")], [1], [2]));
    expect(() => store.createSession({ sessionId: "s" })).toThrow(expect.objectContaining({ code: "invalid_value" }));
    await expect(store.exportBatch(["s"])).rejects.toMatchObject({ code: "session_active" });
    session.end();
    await expect(store.exportBatch(["s", "s"])).rejects.toMatchObject({ code: "invalid_value" });
    const oneId = "s" as unknown as string[];
    await expect(store.exportBatch(oneId)).rejects.toMatchObject({ code: "invalid_value", param: "sessionIds" });
    await expect(store.exportBatch(["s", "t"])).rejects.toMatchObject({ code: "session_not_found" });
    expect(() => session.record(turn([user("a")], [1], [2]))).toThrow(
      expect.objectContaining({ code: "session_ended" }),
    );
  });

  it.each([
    ["log probabilities of another length", { logprobs: Float32Array.of(-1) }, "ERR_INVALID_ARG"],
    ["a log probability that is NaN", { logprobs: Float32Array.of(Number.NaN, -1) }, "ERR_REPLY_NOT_FINITE"],
    ["a negative token id", { outputIds: Int32Array.of(-5, 1) }, "ERR_INVALID_ARG"],
    ["an empty list of messages", { messages: [] }, "invalid_value"],
    ["an id that is taken", { interactionId: "taken" }, "invalid_value"],
    ["an id that is not a string", { interactionId: 5 as unknown as string }, "invalid_value"],
    ["no finish reason", { finishReason: undefined as unknown as string }, "invalid_value"],
    ["a prompt that was transferred to another thread", { promptIds: transferred() }, "ERR_INVALID_ARG"],
  ])("refuses to record %s, and keeps earlier interactions", async (_, wrong, code) => {
    const store = new TrajectoryStore();
    const session = store.createSession({ sessionId: "s" });
    const good = turn([user("a")], [1, 2], [3, 4]);
    session.record({ ...good, interactionId: "taken" });
    expect(() => session.record({ ...good, ...wrong })).toThrow(expect.objectContaining({ code }));
    session.end();
    expect((await store.exportBatch(["s"])).rows.map((row) => row.interactionId)).toEqual(["taken"]);
  });
});

it.each(["promptIds", "outputIds", "logprobs"])("refuses %s that are no typed array of their kind", (field) => {
  const session = new TrajectoryStore().createSession({ sessionId: "s" });
  for (const value of [undefined, [1, 2], Uint8Array.of(1, 2)]) {
    expect(() => session.record({ ...turn([user("a")], [1, 2], [3, 4]), [field]: value })).toThrow(
      expect.objectContaining({ code: "invalid_value", param: field }) as Error,
    );
  }
  expect(session.interactionCount).toBe(0);
});

function transferred(): Int32Array {
  const ids = Int32Array.of(1, 2);
  structuredClone(ids.buffer, { transfer: [ids.buffer] });
  return ids;
}
