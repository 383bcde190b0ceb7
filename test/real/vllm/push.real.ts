import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PUSH_FOLDER, pushWeights } from "../support/push/push-weights.js";
import { type EngineServer, freePort, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { WeightsRig } from "../support/weights-rig.js";

const { quick } = openRealEngine();

// vLLM's own ways of pushing (`--weight-transfer-config`) need a GPU, and `both/push.real.ts` has the one over gloo. Trainers also
// push through an extension of the worker.
describe.skipIf(quick)("weights that a trainer pushes to vLLM", () => {
  let server: EngineServer;
  let rig: WeightsRig;

  beforeAll(async () => {
    server = await startEngineServer("vllm", {
      flags: ["--worker-extension-cls", "vllm_push.PushExtension", "--weight-transfer-config", '{"backend":"nccl"}'],
      env: { PYTHONPATH: PUSH_FOLDER },
    });
    rig = await WeightsRig.open("vllm", server);
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await server.stop();
  });

  const post = async (path: string, body: object = {}) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, text: await reply.text() };
  };

  it("get the version of the external update, in the middle of a call", async () => {
    const folder = await rig.writeWeights();
    const { session, done } = await rig.startStream();
    const before = rig.version;
    const version = rig.next(folder);
    expect(await rig.trainer.updateWeights({ version, external: true })).toMatchObject({ state: "external" });
    await pushWeights(server.python, "vllm_trainer.py", [server.url, folder, String(await freePort())]);
    expect(await rig.trainer.finishWeights(version)).toMatchObject({ state: "idle", version });
    expect((await done).text).toContain("data: [DONE]");
    expect(await rig.recordedVersions(session)).toEqual([before, version]);
    expect(await rig.askedVersions()).toEqual([version]);
  });

  it("may be announced with vLLM's own calls, which load nothing without a GPU", async () => {
    const before = rig.version;
    await rig.trainer.updateWeights({ version: before + 1, external: true });
    expect(await post("/start_weight_update")).toMatchObject({ status: 200 });
    const update_info = { names: ["lm_head.weight"], dtype_names: ["float32"], shapes: [[512, 64]] };
    expect(await post("/update_weights", { update_info })).toMatchObject({
      status: 500,
      text: expect.stringContaining("NCCL weight transfer not initialized") as string,
    });
    expect(await rig.trainer.abandonWeights()).toMatchObject({ state: "idle", version: before });
    // The session that failed has left layers without their weights: they are loaded from a path.
    await rig.load(await rig.writeWeights());
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it("cannot come over NCCL without a GPU", async () => {
    const address = { master_address: "127.0.0.1", master_port: await freePort(), rank_offset: 0, world_size: 1 };
    expect(await post("/init_weight_transfer_engine", { init_info: address })).toMatchObject({
      status: 500,
      text: expect.stringContaining("Found no NVIDIA driver on your system.") as string,
    });
  });

  it("have recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(server.python)).toEqual([]);
  });
});
