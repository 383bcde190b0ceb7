import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedWeights } from "../../../src/client/weight-calls.js";
import { pushWeights } from "../support/push/push-weights.js";
import { freePort, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { failure, WeightsRig } from "../support/weights-rig.js";

const engine = openRealEngine();
const { python = "", quick, url } = engine;

describe.skipIf(python === "" || quick)("a weight update of SGLang", () => {
  let rig: WeightsRig;

  beforeAll(async () => {
    rig = await WeightsRig.open("sglang", engine);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each(["distributed", "bucket", "tensor"])(
    "gives weights that a trainer pushes (%s) the version of the external update, in the middle of a call",
    async (way) => {
      const folder = await rig.writeWeights();
      const { session, done } = await rig.startStream();
      const before = rig.version;
      const version = rig.next(folder);
      expect(await rig.trainer.updateWeights({ version, external: true })).toMatchObject({ state: "external" });
      await pushWeights(python, "sglang_trainer.py", [url, folder, String(await freePort()), way]);
      expect(await rig.trainer.finishWeights(version)).toMatchObject({ state: "idle", version });
      expect((await done).text).toContain("data: [DONE]");
      expect(await rig.recordedVersions(session)).toEqual([before, version]);
      expect(await rig.askedVersions()).toEqual([version]);
    },
  );

  it("that is given up after a folder did not exist goes on with the weights before it", async () => {
    const before = rig.version;
    const error: unknown = await rig.load(join(rig.scratch, "none")).catch((each: unknown) => each);
    expect(failure(error)).toBe("502 weights_failed");
    expect(failedWeights(error)?.servers).toEqual([expect.objectContaining({ state: "failed", version: before })]);
    const session = await rig.rig.session();
    const waiting = rig.ask(session);
    expect(await rig.trainer.abandonWeights()).toMatchObject({ state: "idle", version: before });
    expect((await waiting).status).toBe(200);
    expect(await rig.recordedVersions(session)).toEqual([before]);
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(python)).toEqual([]);
  });
});

// SGLang answers a load that fails in the middle by loading the same path again, which ends the server.
describe.skipIf(python === "" || quick)("an SGLang server that a load has ended", () => {
  it("is named by the update, which can be given up: waiting calls fail at once", async () => {
    const server = await startEngineServer("sglang");
    const rig = await WeightsRig.open("sglang", server);
    const path = await rig.writeWeights();
    await truncate(join(path, "model.safetensors"), 300_000);
    const error: unknown = await rig.load(path, { allowPartial: true }).catch((each: unknown) => each);
    expect(failure(error)).toBe("502 weights_failed");
    expect(failedWeights(error)?.servers).toEqual([
      expect.objectContaining({
        version: null,
        error: expect.stringMatching(/closed the connection|cannot be reached/) as string,
      }),
    ]);
    const waiting = rig.ask(await rig.rig.session());
    expect(await rig.trainer.abandonWeights()).toMatchObject({ state: "idle", servers: [{ state: "excluded" }] });
    expect((await waiting).status).toBe(502);
    await rig.rig[Symbol.asyncDispose]();
    await server.stop();
  });
});
