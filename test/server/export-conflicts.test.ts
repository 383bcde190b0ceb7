import { describe, expect, it, onTestFinished } from "vitest";
import { TrajectoryStore } from "../../src/session/trajectory-store.js";
import { Gateway, startWorker } from "../gateway/workers.js";
import { Proxy } from "../helpers/proxy.js";

/** Options that contradict each other, and the option that the error names. */
const CONFLICTS = [
  [{ style: "concat", layout: "tree", concat_reward: "return" }, "concat_reward"],
  [{ concat_reward: "return" }, "concat_reward"],
  [{ layout: "tree", turns: true }, "turns"],
  [{ row_tensors: false, turns: true }, "turns"],
  [{ layout: "tree", max_length: 8 }, "max_length"],
  [{ image_bytes: "files" }, "image_bytes"],
] as const;

async function startProxy(): Promise<Proxy> {
  const proxy = await Proxy.start();
  onTestFinished(() => proxy.close());
  return proxy;
}

describe("export options that contradict each other", () => {
  it.each(CONFLICTS)(
    "are refused with 400 by /export_batch, also for an unknown session: %j",
    async (options, param) => {
      const proxy = await startProxy();
      const { refusal, error } = await proxy.post("/export_batch", { session_ids: ["task-99"], ...options });
      expect([refusal, error.param]).toEqual(["400 invalid_value", param]);
    },
  );

  it("are refused with 400 by /export_trajectories, also for an unknown session", async () => {
    const proxy = await startProxy();
    const { refusal, error } = await proxy.post("/export_trajectories", {
      session_id: "task-99",
      concat_reward: "return",
    });
    expect([refusal, error.param]).toEqual(["400 invalid_value", "concat_reward"]);
  });

  it("are refused with 400 by a gateway without that session or its worker", async () => {
    const { url } = await startWorker("one");
    const gateway = await Gateway.start({ urls: [url] });
    const options = { concat_reward: "return" };
    const calls = [
      gateway.post("/export_batch", { session_ids: ["task-gone-1"], ...options }),
      gateway.post("/export_trajectories", { session_id: "task-gone-1", ...options }),
    ];
    for (const { refusal, error } of await Promise.all(calls)) {
      expect([refusal, error.param]).toEqual(["400 invalid_value", "concat_reward"]);
    }
  });

  it("are refused by a store before it searches for the session", async () => {
    using store = new TrajectoryStore();
    const exported = store.exportBatch(["s"], { concatReward: "return" });
    await expect(exported).rejects.toMatchObject({ code: "invalid_value", param: "concatReward" });
  });
});
