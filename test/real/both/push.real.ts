import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_FOLDER, type Push, pushWithRolltape } from "../support/push/push-weights.js";
import { type EngineServer, freePort, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { WeightsRig } from "../support/weights-rig.js";

const engine = openRealEngine();
const { name, python = "", quick } = engine;

/** Lets vLLM receive weights over gloo. SGLang needs no flags. */
const VLLM_GLOO = {
  flags: [
    "--worker-extension-cls",
    "rolltape.weights.vllm_gloo.GlooExtension",
    "--weight-transfer-config",
    '{"backend":"gloo"}',
  ],
  env: { PYTHONPATH: PACKAGE_FOLDER },
};

describe.skipIf(python === "" || quick)("a push of rolltape.weights over gloo", () => {
  let server: EngineServer | undefined;
  let rig: WeightsRig;

  beforeAll(async () => {
    if (name === "vllm") server = await startEngineServer(name, VLLM_GLOO);
    rig = await WeightsRig.open(name, server ?? engine);
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await server?.stop();
  });

  const push = (folder: string, version: number, fields: Partial<Push> = {}): Push => {
    const { server: proxy, adminKey: key } = rig.rig;
    return { engine: name, url: proxy.url, key, version, folder, ...fields };
  };

  it("updates the weights several times in the middle of a call, with one group", async () => {
    const { session, done } = await rig.startStream();
    const before = rig.version;
    const folders = [await rig.writeWeights(), await rig.writeWeights()];
    const pushes = folders.map((folder) => push(folder, rig.next(folder)));
    // The trainer takes seconds to start, so the call would have ended before its first pause.
    expect(await rig.trainer.updateWeights({ version: before + 1, external: true })).toMatchObject({
      state: "external",
    });
    const results = await pushWithRolltape(python, pushes);
    expect(results).toMatchObject(pushes.map(({ version }) => ({ record: { state: "idle", version } })));
    expect((await done).text).toContain("data: [DONE]");
    const versions = await rig.recordedVersions(session);
    // Few tokens are sampled between the two pushes, or none.
    expect(versions[0]).toBe(before);
    expect(versions.length).toBeGreaterThan(1);
    expect([before, ...pushes.map(({ version }) => version)]).toEqual(expect.arrayContaining(versions));
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it("is repeated after the trainer has failed in the middle", async () => {
    const folder = await rig.writeWeights();
    const version = rig.next(folder);
    const pushes = [push(folder, version, { failAfter: 12 }), push(folder, version)];
    const [failed, repeated] = await pushWithRolltape(python, pushes);
    expect(failed?.error).toMatch(/^weights_push_failed: .*the trainer fails The engine stays paused/);
    expect(repeated).toMatchObject({ record: { state: "idle", version } });
    expect(await rig.askedVersions()).toEqual([version]);
  });

  it("is repeated by another process after the trainer's has ended in the middle", async () => {
    const folder = await rig.writeWeights();
    const version = rig.next(folder);
    expect(await pushWithRolltape(python, [push(folder, version, { endAfter: 12 })])).toEqual([]);
    expect(await rig.trainer.weights()).toMatchObject({ state: "external", targetVersion: version });
    const [repeated] = await pushWithRolltape(python, [push(folder, version)]);
    expect(repeated).toMatchObject({ record: { state: "idle", version } });
    expect(await rig.askedVersions()).toEqual([version]);
  });

  it("over NCCL is given up without a GPU: the engine goes on with its weights", async () => {
    const before = rig.version;
    const nccl = push(await rig.writeWeights(), before + 100, { backend: "nccl" });
    const [result] = await pushWithRolltape(python, [nccl]);
    expect(result?.error).toMatch(/no NVIDIA driver.*No server has begun to load, so the engine goes on with version/i);
    expect(await rig.askedVersions()).toEqual([before]);
  });

  it.runIf(name === "sglang")("over NCCL is refused by a server without a GPU", async () => {
    const body = {
      master_address: "127.0.0.1",
      master_port: await freePort(),
      rank_offset: 0,
      world_size: 1,
      group_name: "nccl",
      backend: "nccl",
    };
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    const reply = await fetch(`${engine.url}/init_weights_update_group`, request);
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("ProcessGroupNCCL is only supported with GPUs, no GPUs found!");
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(python)).toEqual([]);
  });
});
