import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../../src/engine/embedded/embedded-engine.js";
import { ensureTinyModel } from "../../../../src/engine/embedded/tiny-model/ensure.js";
import type { Engine, GenerateCall } from "../../../../src/engine/engine.js";
import { PythonProgram } from "../../../helpers/python.js";
import { makeVariantGguf } from "../../../helpers/tiny-checkpoint.js";
import { makeCall, makePrompt } from "../../generate-call.js";

const PROGRAM = fileURLToPath(new URL("../../../helpers/transformers_models.py", import.meta.url));
/** llama.cpp's KV cache has 16 bits. */
const TOLERANCE = 3e-3;
const PROMPT = makePrompt(60);

const noTransformers = spawnSync("python3", ["-c", "import torch, transformers"]).status !== 0;

let scratch: string;
let python: PythonProgram<unknown>;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rolltape-transformers-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));
beforeEach(({ skip }) => {
  skip(noTransformers, "python3 finds no torch and transformers");
  python = new PythonProgram(PROGRAM);
});

const ask = (request: object) => python.ask(JSON.stringify(request));

async function sample(engine: Engine): Promise<GenerateCall> {
  const call = makeCall(PROMPT, { seed: 4, maxTokens: 120 });
  await engine.generate(call);
  return call;
}

/** Returns the largest difference between recorded log probabilities and those that transformers computes. */
async function largestError(folder: string, { generation }: GenerateCall): Promise<number> {
  const output = Array.from(generation.ids());
  const scored = (await ask({ operation: "score", folder, prompt: PROMPT, output })) as number[];
  const recorded = generation.logprobs();
  expect(scored).toHaveLength(recorded.length);
  return Math.max(...scored.map((logprob, index) => Math.abs(logprob - (recorded[index] ?? Number.NaN))));
}

async function load({ localWeights }: Engine, folder: string): Promise<void> {
  await localWeights?.pause();
  await localWeights?.load(folder);
  localWeights?.resume();
}

describe("the tiny model in transformers", () => {
  it("loads without its GGUF file, agrees with the engine, trains, and goes back into the engine", async () => {
    const { folder } = await ensureTinyModel();
    const engine = await createEmbeddedEngine({ contextSize: 512, sequences: 1 });
    const call = await sample(engine);
    expect(await largestError(folder, call)).toBeLessThan(TOLERANCE);
    const trained = join(scratch, "trained");
    const output = Array.from(call.generation.ids());
    const step = await ask({ operation: "train", folder, to: trained, prompt: PROMPT, output, rate: 0.5 });
    expect(step).toMatchObject({ untrained: [], loss: expect.any(Number) });
    expect(await largestError(trained, call)).toBeGreaterThan(10 * TOLERANCE);
    await load(engine, trained);
    expect(await largestError(trained, await sample(engine))).toBeLessThan(TOLERANCE);
    await engine.close();
  });
});

describe("checkpoints that transformers saved", () => {
  const cases = [
    { architecture: "llama", tied: false, dtype: "float32", shard_size: "5GB" },
    { architecture: "llama", tied: true, dtype: "bfloat16", shard_size: "60KB" },
    { architecture: "qwen2", tied: true, dtype: "float32", shard_size: "5GB" },
    { architecture: "qwen3", tied: false, dtype: "bfloat16", shard_size: "60KB" },
  ] as const;

  for (const { architecture, tied, dtype, shard_size } of cases) {
    it(`have the same log probabilities in the engine: ${architecture}, ${dtype}${tied ? ", tied" : ""}`, async () => {
      const name = `${architecture}-${dtype}`;
      const modelPath = join(scratch, `${name}.gguf`);
      await writeFile(modelPath, makeVariantGguf({ architecture, tied }));
      const engine = await createEmbeddedEngine({ modelPath, contextSize: 512, sequences: 1 });
      const to = join(scratch, name);
      const { folder } = await ensureTinyModel();
      const fields = { model_type: architecture, tie_word_embeddings: tied };
      await ask({ operation: "initialize", folder, to, config: fields, dtype, seed: 1, shard_size });
      const shards = (await readdir(to)).filter((file) => file.endsWith(".safetensors"));
      expect(shards.length > 1).toBe(shard_size === "60KB");
      await load(engine, to);
      expect(await largestError(to, await sample(engine))).toBeLessThan(TOLERANCE);
      await engine.close();
    });
  }
});
