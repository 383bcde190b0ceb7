import { mkdtempSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readHeader } from "../../../src/support/safetensors/read-header.js";
import { type CheckpointTensor, writeConfig, writeSafetensors } from "../../helpers/tiny-checkpoint.js";
import { type EngineServer, openRealEngine, startEngineServer } from "../support/real-engine.js";
import { failure, WeightsRig } from "../support/weights-rig.js";

const { quick } = openRealEngine();

const RANK = 4;
const ALPHA = 8;
const TARGETS = ["q_proj", "v_proj"];

/** LoRA adapters on an unmodified vLLM. Their tokens are computed again from the model with the adapter added to its weights. */
describe.skipIf(quick)("LoRA adapters of vLLM", () => {
  let server: EngineServer;
  let rig: WeightsRig;

  beforeAll(async () => {
    const flags = ["--enable-lora", "--max-lora-rank", "8", "--max-loras", "2", "--max-cpu-loras", "4"];
    server = await startEngineServer("vllm", { flags, env: { VLLM_ALLOW_RUNTIME_LORA_UPDATING: "True" } });
    rig = await WeightsRig.openUnchanged("vllm", server);
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

  it("are used by the calls after their load, one after the other", async () => {
    for (const seed of [1, 2]) {
      await load(seed);
      expect(await rig.askedVersions()).toEqual([rig.version]);
    }
    expect(rig.count(["/pause", "/resume"])).toBe(0);
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
    await expect.poll(listAdapters).toEqual([`policy@${rig.version - 1}`, `policy@${rig.version}`]);
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

  // On a CPU, vLLM answers these calls and pauses, but frees no memory.
  it("are replaced by new weights with which the server wakes up", async () => {
    const path = await rig.writeWeights();
    const version = rig.next(path);
    expect(await rig.trainer.updateWeights({ version, external: true, sleep: true })).toMatchObject({
      state: "external",
    });
    expect(await (await fetch(`${server.url}/is_sleeping`)).json()).toEqual({ is_sleeping: true });
    const session = await rig.rig.session();
    const waiting = rig.ask(session);
    expect(await rig.trainer.finishWeights(version, { path })).toMatchObject({ state: "idle", version });
    expect((await waiting).status).toBe(200);
    expect(await rig.recordedVersions(session)).toEqual([version]);
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
