import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_FOLDER, type Push, pushWithRolltape } from "../support/push/push-weights.js";
import { type EngineServer, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { WeightsRig } from "../support/weights-rig.js";

const { quick } = openRealEngine();

describe.skipIf(quick)("rolltape.weights with vLLM over gloo", () => {
  let server: EngineServer;
  let rig: WeightsRig;

  beforeAll(async () => {
    server = await startEngineServer("vllm", {
      flags: [
        "--worker-extension-cls",
        "rolltape.weights.vllm_gloo.GlooExtension",
        "--weight-transfer-config",
        '{"backend":"gloo"}',
      ],
      env: { PYTHONPATH: PACKAGE_FOLDER },
    });
    rig = await WeightsRig.open("vllm", server);
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await server.stop();
  });

  const prepare = (folder: string, fields: Partial<Push> = {}): Push => {
    const { server: proxy, adminKey: key } = rig.rig;
    return { engine: "vllm", url: proxy.url, key, version: rig.next(folder), folder, ...fields };
  };

  it("pushes several versions in buckets over one group, in the middle of a call", async () => {
    const { session, done } = await rig.startStream();
    const before = rig.version;
    const folders = [await rig.writeWeights(), await rig.writeWeights()];
    const pushes = folders.map((folder) => prepare(folder));
    const results = await pushWithRolltape(server.python, pushes);
    expect(results).toMatchObject(pushes.map(({ version }) => ({ record: { state: "idle", version } })));
    expect((await done).text).toContain("data: [DONE]");
    const versions = await rig.recordedVersions(session);
    expect(versions[0]).toBe(before);
    expect(versions.at(-1)).toBe(rig.version);
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it("repeats a push that has failed in the middle", async () => {
    const failing = prepare(await rig.writeWeights(), { failAfter: 12 });
    const { failAfter: _, ...repeated } = failing;
    const [error, record] = await pushWithRolltape(server.python, [failing, repeated]);
    expect(error?.error).toMatch(/^weights_push_failed: .*the trainer fails The engine stays paused/);
    expect(record).toMatchObject({ record: { state: "idle", version: failing.version } });
    expect(await rig.askedVersions()).toEqual([failing.version]);
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(server.python)).toEqual([]);
  });
});
