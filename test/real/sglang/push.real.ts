import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Push, pushWithRolltape } from "../support/push/push-weights.js";
import { freePort, openRealEngine } from "../support/real-engine.js";
import { WeightsRig } from "../support/weights-rig.js";

const engine = openRealEngine();
const { python = "", quick } = engine;

describe.skipIf(python === "" || quick)("rolltape.weights with SGLang over gloo", () => {
  let rig: WeightsRig;

  beforeAll(async () => {
    rig = await WeightsRig.open("sglang", engine);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const prepare = (folder: string, fields: Partial<Push> = {}): Push => {
    const { server, adminKey: key } = rig.rig;
    return { engine: "sglang", url: server.url, key, version: rig.next(folder), folder, ...fields };
  };

  it("pushes several versions in buckets over one group, in the middle of a call", async () => {
    const { session, done } = await rig.startStream();
    const before = rig.version;
    const folders = [await rig.writeWeights(), await rig.writeWeights()];
    const pushes = folders.map((folder) => prepare(folder));
    const results = await pushWithRolltape(python, pushes);
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
    const [error, record] = await pushWithRolltape(python, [failing, repeated]);
    expect(error?.error).toMatch(/^weights_push_failed: .*the trainer fails The engine stays paused/);
    expect(record).toMatchObject({ record: { state: "idle", version: failing.version } });
    expect(await rig.askedVersions()).toEqual([failing.version]);
  });

  it("gives up a push over NCCL without a GPU: the engine goes on with its weights", async () => {
    const before = rig.version;
    const push = { ...prepare(await rig.writeWeights()), version: before, backend: "nccl" };
    const [result] = await pushWithRolltape(python, [{ ...push, version: before + 5 }]);
    console.log(JSON.stringify(result));
    const init = async (backend: string) => {
      const body = {
        master_address: "127.0.0.1",
        master_port: await freePort(),
        rank_offset: 0,
        world_size: 1,
        group_name: `g-${backend}`,
        backend,
      };
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${engine.url}/init_weights_update_group`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { status: reply.status, text: await reply.text() };
    };
    console.log(JSON.stringify(await init("nccl")));
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(python)).toEqual([]);
  });
});
