import { mkdtempSync } from "node:fs";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failedWeights } from "../../../src/client/weight-calls.js";
import { type CheckpointTensor, writeConfig, writeSafetensors } from "../../helpers/tiny-checkpoint.js";
import { openRealEngine } from "../support/real-engine.js";
import { failure, WeightsRig } from "../support/weights-rig.js";

const engine = openRealEngine();
const { python, quick } = engine;

// A load that fails in the middle leaves tensors behind in vLLM.
describe.skipIf(python === undefined || quick)("a weight update of vLLM", () => {
  let rig: WeightsRig;

  beforeAll(async () => {
    rig = await WeightsRig.open("vllm", engine);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it.each(["an embedding of another shape", "a shard that is cut off"])(
    "that fails because of %s is followed by one that succeeds; calls wait meanwhile",
    async (cause) => {
      const before = rig.version;
      const path = cause.includes("shard") ? await writeCutShard(rig) : await rig.writeWeights(widenEmbedding);
      const error: unknown = await rig.load(path, { allowPartial: true }).catch((each: unknown) => each);
      expect(failure(error)).toBe("502 weights_failed");
      expect(failedWeights(error)).toMatchObject({ state: "failed", version: before, servers: [{ version: null }] });
      const session = await rig.rig.session();
      const waiting = rig.ask(session);
      expect(await rig.load(await rig.writeWeights())).toMatchObject({ state: "idle", version: rig.version });
      expect((await waiting).status).toBe(200);
      expect(await rig.recordedVersions(session)).toEqual([rig.version]);
    },
  );

  it("that failed can be given up: waiting calls fail at once, and the next update succeeds", async () => {
    const before = rig.version;
    const failed = rig.load(await rig.writeWeights(widenEmbedding), { allowPartial: true });
    expect(await failed.catch(failure)).toBe("502 weights_failed");
    const waiting = rig.ask(await rig.rig.session());
    const status = await rig.trainer.abandonWeights();
    expect(status).toMatchObject({ state: "idle", version: before });
    expect(status.servers).toEqual([expect.objectContaining({ state: "excluded", version: null })]);
    const answer = await waiting;
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("engine_unavailable")]);
    await rig.load(await rig.writeWeights());
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it("has recorded versions whose weights transformers confirms", () => {
    expect(rig.findWrong(python ?? "")).toEqual([]);
  });
});

function widenEmbedding(tensor: CheckpointTensor): CheckpointTensor {
  if (tensor.name !== "model.embed_tokens.weight") return tensor;
  const [rows = 0, width = 0] = tensor.shape;
  return { ...tensor, shape: [rows, 2 * width], bytes: new Uint8Array(2 * tensor.bytes.length) };
}

/** Writes two shards. The second has a part of each fused layer, and is cut off. */
async function writeCutShard(rig: WeightsRig): Promise<string> {
  const folder = mkdtempSync(join(rig.scratch, "cut-"));
  const tensors = rig.makeTensors();
  const fileOf = ({ name }: CheckpointTensor) =>
    `model-0000${/\.(?:v_proj|up_proj)\./.test(name) ? 2 : 1}-of-00002.safetensors`;
  for (const file of new Set(tensors.map(fileOf))) {
    const content = tensors.filter((tensor) => fileOf(tensor) === file);
    await writeSafetensors(join(folder, file), content);
  }
  await truncate(join(folder, "model-00002-of-00002.safetensors"), 20_000);
  const weight_map = Object.fromEntries(tensors.map((tensor) => [tensor.name, fileOf(tensor)]));
  await writeFile(join(folder, "model.safetensors.index.json"), JSON.stringify({ weight_map }));
  await writeConfig(folder);
  return folder;
}
