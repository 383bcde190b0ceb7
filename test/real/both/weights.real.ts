import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedWeights } from "../../../src/client/weight-calls.js";
import type { CheckpointTensor } from "../../helpers/tiny-checkpoint.js";
import { openRealEngine } from "../support/real-engine.js";
import { failure, WeightsRig, without } from "../support/weights-rig.js";

const engine = openRealEngine();
const { python } = engine;

const HEAD = "lm_head.weight";
const LOADS = ["/collective_rpc", "/update_weights_from_disk"];
const PAUSES = ["/pause", "/pause_generation"];

// The weights of a server that somebody else started are not ours to replace.
describe.skipIf(python === undefined)(`a weight update of ${engine.name}`, () => {
  let rig: WeightsRig;

  beforeAll(async () => {
    rig = await WeightsRig.open(engine.name, engine);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it("gives each token of a running call the version of the weights that sampled it", async () => {
    const folder = await rig.writeWeights();
    const { session, done } = await rig.startStream();
    const before = rig.version;
    const status = await rig.load(folder);
    expect(status).toMatchObject({ state: "idle", version: rig.version, checked: true, notChecked: null, error: null });
    expect((await done).text).toContain("data: [DONE]");
    expect(await rig.recordedVersions(session)).toEqual([before, rig.version]);
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it.skipIf(engine.quick)("that is repeated has no effect", async () => {
    const loads = rig.count(LOADS);
    expect([(await rig.loadAgain()).version, rig.count(LOADS)]).toEqual([rig.version, loads]);
  });

  it("is refused before the pause if tensors are missing, have other shapes or are cut off", async () => {
    const truncated = await rig.writeWeights();
    await truncate(join(truncated, "model.safetensors"), 300_000);
    const pauses = rig.count(PAUSES);
    for (const path of [await rig.writeWeights(without(HEAD)), await rig.writeWeights(transposeHead), truncated]) {
      const refused = rig.trainer.updateWeights({ version: 999, path });
      expect(await refused.catch(failure)).toBe("422 weights_incomplete");
    }
    expect([rig.count(PAUSES), (await rig.trainer.weights()).version]).toEqual([pauses, rig.version]);
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it.skipIf(engine.quick)("loads partial weights if it is told to, and complete ones after them", async () => {
    const status = await rig.load(await rig.writeWeights(without(HEAD)), { allowPartial: true });
    expect(status).toMatchObject({ version: rig.version, checked: false, notChecked: "`allow_partial` is set." });
    await rig.load(await rig.writeWeights());
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it.skipIf(engine.quick)("that fails is followed by one that succeeds; calls wait meanwhile", async () => {
    const before = rig.version;
    const error: unknown = await rig.load(join(rig.scratch, "none")).catch((each: unknown) => each);
    expect(failure(error)).toBe("502 weights_failed");
    expect(failedWeights(error)).toMatchObject({ state: "failed", version: before, checked: false });
    const session = await rig.rig.session();
    const waiting = rig.ask(session);
    expect(await rig.load(await rig.writeWeights())).toMatchObject({ state: "idle", version: rig.version });
    expect((await waiting).status).toBe(200);
    expect(await rig.recordedVersions(session)).toEqual([rig.version]);
  });

  it.skipIf(engine.quick)("to weights with NaN fails calls, which are not recorded, until good ones come", async () => {
    expect(await rig.load(await rig.writeWeights(breakNorm))).toMatchObject({ version: rig.version, checked: true });
    const session = await rig.rig.session();
    const refused = await rig.ask(session);
    expect(refused.status).toBe(502);
    await rig.load(await rig.writeWeights());
    const next = await rig.ask(session);
    expect(next.status).toBe(200);
    expect(await rig.recordedVersions(session)).toEqual([rig.version]);
  });

  it.skipIf(engine.quick)("that is given up before anything is pushed goes on with the same weights", async () => {
    const { session, done } = await rig.startStream();
    await rig.trainer.updateWeights({ version: rig.version + 1, external: true });
    expect(await rig.trainer.abandonWeights()).toMatchObject({ state: "idle", version: rig.version });
    expect((await done).text).toContain("data: [DONE]");
    expect(await rig.recordedVersions(session)).toEqual([rig.version]);
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(python ?? "")).toEqual([]);
  });
});

function transposeHead(tensor: CheckpointTensor): CheckpointTensor {
  return tensor.name === HEAD ? { ...tensor, shape: [...tensor.shape].toReversed() } : tensor;
}

function breakNorm(tensor: CheckpointTensor): CheckpointTensor {
  const nan = new Uint8Array(tensor.bytes.length).fill(0xff);
  return tensor.name === "model.norm.weight" ? { ...tensor, bytes: nan } : tensor;
}
