import { mkdtempSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHeader } from "../../../src/support/safetensors/read-header.js";
import { type CheckpointTensor, writeConfig, writeSafetensors } from "../../helpers/tiny-checkpoint.js";
import { type EngineServer, LORA_AND_SLEEP, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { failure, WeightsRig } from "../support/weights-rig.js";

const { name: engine, quick } = openRealEngine();

const PAUSES = ["/pause", "/resume", "/pause_generation", "/continue_generation"];

const SLEEP_CALLS = ["/sleep", "/wake_up", "/release_memory_occupation", "/resume_memory_occupation"];

const RANK = 4;
const ALPHA = 8;
const TARGETS = ["q_proj", "v_proj"];

/** Tokens of LoRA adapters are computed again from the model with the adapter added to its weights. */
describe.skipIf(quick)(`LoRA adapters of ${engine}`, () => {
  let server: EngineServer;
  let rig: WeightsRig;

  beforeAll(async () => {
    server = await startEngineServer(engine, LORA_AND_SLEEP[engine]);
    rig = await WeightsRig.openUnchanged(engine, server);
  });
  afterAll(async () => {
    await rig[Symbol.asyncDispose]();
    await server.stop();
  });

  /** Loads an adapter with random values. */
  async function load(seed: number): Promise<void> {
    const { adapter, merged } = await writeAdapter(rig.scratch, server.model, seed);
    const version = rig.next(merged);
    const status = await rig.trainer.updateWeights({ version, lora: { name: `policy@${version}`, path: adapter } });
    expect(status).toMatchObject({ state: "idle", version, error: null });
  }

  async function listAdapters(): Promise<string[]> {
    const { data } = (await (await fetch(`${server.url}/v1/models`)).json()) as {
      data: { id: string; parent: string | null }[];
    };
    return data.flatMap(({ id, parent }) => (parent === null ? [] : [id]));
  }

  /** Returns undefined for SGLang, which does not say. */
  async function isAsleep(): Promise<boolean | undefined> {
    if (engine === "sglang") return undefined;
    const answer = (await (await fetch(`${server.url}/is_sleeping`)).json()) as { is_sleeping: boolean };
    return answer.is_sleeping;
  }

  /** Returns the recorded versions of a call whose prompt is always the same, so that caches have it. */
  async function askAgain(): Promise<number[]> {
    const session = await rig.rig.session();
    const content = "The same prompt for all adapters. ".repeat(20);
    expect((await rig.ask(session, { messages: [{ role: "user", content }] })).status).toBe(200);
    return await rig.recordedVersions(session);
  }

  it("are used by the calls after their load, one after the other, and by none before", async () => {
    expect(await askAgain()).toEqual([0]);
    for (const seed of [1, 2]) {
      await load(seed);
      expect(await askAgain()).toEqual([rig.version]);
    }
    expect(rig.count(PAUSES)).toBe(0);
  });

  it("stay those of a streamed call that began before", async () => {
    const before = rig.version;
    const { session, done } = await rig.startStream();
    await load(3);
    expect(await rig.askedVersions()).toEqual([rig.version]);
    expect((await done).status).toBe(200);
    expect(await rig.recordedVersions(session)).toEqual([before]);
  });

  it("are unloaded, but for the current and the previous one", async () => {
    await load(4);
    const names = async () => (await listAdapters()).toSorted();
    await expect.poll(names).toEqual([`policy@${rig.version - 1}`, `policy@${rig.version}`]);
  });

  it("that do not exist change nothing", async () => {
    const lora = { name: "policy@99", path: join(rig.scratch, "missing") };
    const error: unknown = await rig.trainer.updateWeights({ version: 99, lora }).catch(failure);
    expect(error).toBe("502 weights_failed");
    expect(await rig.askedVersions()).toEqual([rig.version]);
  });

  it("have recorded log probabilities that transformers confirms", () => {
    expect(rig.findWrong(server.python)).toEqual([]);
  });

  // On a CPU, vLLM keeps its memory. SGLang's is overwritten by its plugin.
  it("are replaced by new weights with which the server wakes up", async () => {
    const path = await rig.writeWeights();
    const version = rig.next(path);
    const begun = rig.count(SLEEP_CALLS);
    expect(await rig.trainer.updateWeights({ version, external: true, sleep: true })).toMatchObject({
      state: "external",
    });
    expect(rig.count(SLEEP_CALLS) - begun).toBe(1);
    expect(await isAsleep()).not.toBe(false);
    const session = await rig.rig.session();
    const waiting = rig.ask(session);
    expect(await rig.trainer.finishWeights(version, { path })).toMatchObject({ state: "idle", version });
    expect((await waiting).status).toBe(200);
    expect(rig.count(SLEEP_CALLS) - begun).toBe(2);
    expect(await rig.recordedVersions(session)).toEqual([version]);
    expect(rig.findWrong(server.python)).toEqual([]);
  });

  it("are replaced during a streamed call, which goes on with the new weights after the sleep", async () => {
    const before = rig.version;
    const { session, done } = await rig.startStream();
    const path = await rig.writeWeights();
    const version = rig.next(path);
    await rig.trainer.updateWeights({ version, external: true, sleep: true });
    expect(await rig.trainer.finishWeights(version, { path })).toMatchObject({ state: "idle", version });
    expect((await done).text).toContain("data: [DONE]");
    expect(await rig.recordedVersions(session)).toEqual([before, version]);
    expect(rig.findWrong(server.python)).toEqual([]);
  });

  it("and weights follow a sleep that was given up", async () => {
    const sleeping = { version: rig.version + 1, external: true, sleep: true } as const;
    await rig.trainer.updateWeights(sleeping);
    await rig.trainer.abandonWeights();
    expect(await rig.load(await rig.writeWeights())).toMatchObject({ state: "idle", version: rig.version });
    expect(await rig.askedVersions()).toEqual([rig.version]);
    expect(rig.findWrong(server.python)).toEqual([]);
  });
});

/** Writes an adapter, and the model's weights with the adapter added. */
async function writeAdapter(
  scratch: string,
  model: string,
  seed: number,
): Promise<{ adapter: string; merged: string }> {
  const file = readFileSync(join(model, "model.safetensors"));
  const base = readHeader(file).tensors.map(({ name, shape, start, end }): CheckpointTensor => {
    return { name, dtype: "F32", shape, bytes: Uint8Array.from(file.subarray(start, end)) };
  });
  const parts: CheckpointTensor[] = [];
  let state = 1000 * seed;
  const next = () => Math.sin(++state * 12.9898) / 8;
  const merged = base.map((tensor) => {
    if (!TARGETS.some((target) => tensor.name.endsWith(`self_attn.${target}.weight`))) return tensor;
    const [rows = 0, width = 0] = tensor.shape;
    const [a, b] = [
      Float32Array.from({ length: RANK * width }, next),
      Float32Array.from({ length: rows * RANK }, next),
    ];
    const prefix = `base_model.model.${tensor.name.replace(/weight$/, "")}`;
    parts.push(
      toTensor(`${prefix}lora_A.weight`, [RANK, width], a),
      toTensor(`${prefix}lora_B.weight`, [rows, RANK], b),
    );
    const values = new Float32Array(tensor.bytes.slice().buffer);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < width; column++) {
        let sum = 0;
        for (let k = 0; k < RANK; k++) sum += (b[row * RANK + k] ?? 0) * (a[k * width + column] ?? 0);
        values[row * width + column] = (values[row * width + column] ?? 0) + (ALPHA / RANK) * sum;
      }
    }
    return toTensor(tensor.name, tensor.shape, values);
  });
  const [adapter, folder] = [mkdtempSync(join(scratch, "adapter-")), mkdtempSync(join(scratch, "merged-"))];
  const config = {
    peft_type: "LORA",
    r: RANK,
    lora_alpha: ALPHA,
    target_modules: TARGETS,
    bias: "none",
    task_type: "CAUSAL_LM",
  };
  await writeFile(join(adapter, "adapter_config.json"), JSON.stringify({ ...config, base_model_name_or_path: model }));
  await writeSafetensors(join(adapter, "adapter_model.safetensors"), parts);
  await writeConfig(folder);
  await writeSafetensors(join(folder, "model.safetensors"), merged);
  return { adapter, merged: folder };
}

function toTensor(name: string, shape: readonly number[], values: Float32Array): CheckpointTensor {
  return { name, dtype: "F32", shape: [...shape], bytes: new Uint8Array(values.buffer) };
}
