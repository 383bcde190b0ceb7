import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../../../src/engine/embedded/embedded-engine.js";
import { tinyModelFiles } from "../../../../../src/engine/embedded/tiny-model/tiny-model-files.js";
import { widen } from "../../../../../src/engine/embedded/weights/hugging-face/float-types.js";
import type { Engine } from "../../../../../src/engine/engine.js";
import {
  type CheckpointTensor,
  makeVariantGguf,
  readTinyTensors,
  type TinyCheckpoint,
  writeConfig,
  writeSafetensors,
  writeTinyCheckpoint,
} from "../../../../helpers/tiny-checkpoint.js";
import { makeCall, makePrompt } from "../../../generate-call.js";

const SEED = 77;
const tensors = readTinyTensors(SEED);

let scratch: string;
let temporary: string;
let folder: string;
let other: TinyCheckpoint;
let engine: Engine;
const { TMPDIR } = process.env;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rolltape-checkpoint-"));
  temporary = join(scratch, "temporary");
  await mkdir(temporary);
  process.env["TMPDIR"] = temporary;
  other = await writeTinyCheckpoint(join(scratch, "other"), SEED);
  engine = await createEmbeddedEngine({ contextSize: 512, sequences: 1 });
});
afterAll(async () => {
  await engine.close();
  if (TMPDIR === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = TMPDIR;
  await rm(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  folder = await mkdtemp(join(scratch, "checkpoint-"));
});
afterEach(async () => {
  // Temporary GGUF files are as large as the weights.
  expect(await readdir(temporary)).toEqual([]);
});

interface Output {
  readonly ids: number[];
  readonly logprobs: number[];
}

/** Returns what an engine generates greedily: its fingerprint. */
async function generate(subject: Engine): Promise<Output> {
  const call = makeCall(makePrompt(40), { temperature: 0, maxTokens: 60 }, { affinityKey: String(Math.random()) });
  await subject.generate(call);
  return { ids: Array.from(call.generation.ids()), logprobs: Array.from(call.generation.logprobs()) };
}

async function generateFresh(modelPath: string): Promise<Output> {
  const fresh = await createEmbeddedEngine({ modelPath, contextSize: 512, sequences: 1 });
  const output = await generate(fresh);
  await fresh.close();
  return output;
}

async function load(path: string, subject = engine): Promise<void> {
  await subject.localWeights?.pause();
  try {
    await subject.localWeights?.load(path);
  } finally {
    subject.localWeights?.resume();
  }
}

function expectSame(a: Output, b: Output, tolerance = 1e-4): void {
  expect(a.ids).toEqual(b.ids);
  const errors = a.logprobs.map((logprob, index) => Math.abs(logprob - (b.logprobs[index] ?? Number.NaN)));
  expect(Math.max(...errors)).toBeLessThan(tolerance);
}

/** Rounds a tensor to 16 bits by cutting. */
function toHalf(tensor: CheckpointTensor, dtype: "F16" | "BF16"): CheckpointTensor {
  const values = new Float32Array(Uint8Array.from(tensor.bytes).buffer);
  const bits = Uint16Array.from(values, dtype === "BF16" ? brainBits : halfBits);
  return { ...tensor, dtype, bytes: new Uint8Array(bits.buffer) };
}

function brainBits(value: number): number {
  return (new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0) >>> 16;
}

/** Zero for values below the normal range. */
function halfBits(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0;
  const exponent = ((bits >>> 23) & 0xff) - 112;
  return exponent <= 0 ? 0 : ((bits >>> 16) & 0x8000) | (exponent << 10) | ((bits >>> 13) & 0x3ff);
}

describe("a Hugging Face folder", () => {
  it("has the same log probabilities as its GGUF file", async () => {
    await load(other.folder);
    const output = await generate(engine);
    expectSame(output, await generateFresh(other.gguf), 1e-6);
    await load(other.gguf);
    expectSame(output, await generate(engine), 1e-6);
  });

  it("may have several files with an index", async () => {
    const half = Math.floor(tensors.length / 2);
    const shards = {
      "model-00001-of-00002.safetensors": tensors.slice(0, half),
      "two.safetensors": tensors.slice(half),
    };
    const weightMap: Record<string, string> = {};
    for (const [name, part] of Object.entries(shards)) {
      await writeSafetensors(join(folder, name), part);
      for (const tensor of part) weightMap[tensor.name] = name;
    }
    await writeConfig(folder);
    await writeFile(
      join(folder, "model.safetensors.index.json"),
      JSON.stringify({ metadata: {}, weight_map: weightMap }),
    );
    await load(folder);
    expectSame(await generate(engine), await generateFresh(other.gguf));
  });

  for (const dtype of ["BF16", "F16"] as const) {
    it(`may be in ${dtype}: the weights are those numbers, without further rounding`, async () => {
      const rounded = tensors.map((tensor) => toHalf(tensor, dtype));
      const exact = rounded.map((tensor): CheckpointTensor => {
        return { ...tensor, dtype: "F32", bytes: widen(Uint8Array.from(tensor.bytes), dtype) };
      });
      await writeConfig(folder);
      await writeSafetensors(join(folder, "model.safetensors"), exact);
      await load(folder);
      const expected = await generate(engine);
      await writeSafetensors(join(folder, "model.safetensors"), rounded);
      await load(folder);
      expectSame(await generate(engine), expected, 1e-6);
    });
  }

  it("may have tied embeddings: with a copy of the matrix, without one, and in a model that had its own", async () => {
    const untied = tensors.filter(({ name }) => name !== "lm_head.weight");
    const embedding = tensors.find(({ name }) => name === "model.embed_tokens.weight");
    if (!embedding) throw new Error("the model has no embedding");
    await writeConfig(folder);
    await writeSafetensors(join(folder, "model.safetensors"), [...untied, { ...embedding, name: "lm_head.weight" }]);
    await load(folder);
    const expected = await generate(engine);
    await writeConfig(folder, { tie_word_embeddings: true });
    await load(folder);
    expectSame(await generate(engine), expected);
    await writeSafetensors(join(folder, "model.safetensors"), untied);
    await load(folder);
    expectSame(await generate(engine), expected);
    await writeConfig(folder, { tie_word_embeddings: undefined });
    await load(folder);
    expectSame(await generate(engine), expected);
    await load(other.folder);
    expectSame(await generate(engine), await generateFresh(other.gguf));
  });

  it("gives an output matrix of its own to a model that had tied embeddings", async () => {
    const tied = join(folder, "tied.gguf");
    await writeFile(tied, makeVariantGguf({ architecture: "llama", tied: true }));
    const subject = await createEmbeddedEngine({ modelPath: tied, contextSize: 512, sequences: 1 });
    await load(other.folder, subject);
    expectSame(await generate(subject), await generateFresh(other.gguf));
    await subject.close();
  });

  it("may have been trained by transformers 5, which writes rope_parameters, and may have computed tensors", async () => {
    await writeConfig(folder, {
      rope_theta: undefined,
      rope_parameters: { rope_theta: 500_000, rope_type: "default" },
    });
    const frequencies = { name: "model.layers.0.self_attn.rotary_emb.inv_freq", dtype: "F32", shape: [8] } as const;
    await writeSafetensors(join(folder, "model.safetensors"), [
      ...tensors,
      { ...frequencies, bytes: new Uint8Array(32) },
    ]);
    await load(folder);
    expectSame(await generate(engine), await generateFresh(other.gguf));
  });
});

describe("a checkpoint that does not fit", () => {
  const FIRST = "model.layers.0.self_attn.q_proj.weight";
  const change = (name: string, edit: (tensor: CheckpointTensor) => CheckpointTensor | undefined) => {
    return tensors.flatMap((tensor) => (tensor.name === name ? (edit(tensor) ?? []) : tensor));
  };
  const writeTensors = (list: readonly CheckpointTensor[]) => writeSafetensors(join(folder, "model.safetensors"), list);
  const nan = (tensor: CheckpointTensor) => {
    const bytes = Uint8Array.from(tensor.bytes);
    new Float32Array(bytes.buffer)[5] = Number.NaN;
    return { ...tensor, bytes };
  };

  interface Case {
    readonly name: string;
    readonly config?: Readonly<Record<string, unknown>>;
    readonly tensors?: readonly CheckpointTensor[];
    readonly write?: () => Promise<void>;
    readonly message: RegExp;
  }

  const cases: readonly Case[] = [
    {
      name: "a missing tensor",
      tensors: change(FIRST, () => undefined),
      message: /tensor model\.layers\.0\.self_attn\.q_proj\.weight is missing/,
    },
    {
      name: "a tensor too many",
      tensors: [
        ...tensors,
        { name: "model.layers.2.mlp.up_proj.weight", dtype: "F32", shape: [1], bytes: new Uint8Array(4) },
      ],
      message: /the model in use has no tensor model\.layers\.2\.mlp\.up_proj\.weight/,
    },
    {
      name: "another shape",
      tensors: change(FIRST, (tensor) => ({ ...tensor, shape: [32, 128] })),
      message: /q_proj\.weight has the shape \[32, 128\], but the model in use has \[64, 64\]/,
    },
    {
      name: "another type",
      tensors: change(FIRST, (tensor) => ({ ...tensor, dtype: "I32" })),
      message: /q_proj\.weight has the type I32; only F32, F16 and BF16 can be loaded/,
    },
    {
      name: "a weight that is not a number",
      tensors: change(FIRST, nan),
      message: /tensor model\.layers\.0\.self_attn\.q_proj\.weight has a number that is not finite/,
    },
    {
      name: "another architecture",
      config: { model_type: "qwen2" },
      message: /model_type is qwen2, but the model in use has llama/,
    },
    {
      name: "another vocabulary",
      config: { vocab_size: 500 },
      message: /config\.json: vocab_size is 500, but the model in use has 512/,
    },
    {
      name: "another context",
      config: { max_position_embeddings: 4096 },
      message: /max_position_embeddings is 4096, but .* 131072/,
    },
    {
      name: "other heads",
      config: { num_attention_heads: 8 },
      message: /num_attention_heads is 8, but the model in use has 2/,
    },
    {
      name: "another rotary base",
      config: { rope_theta: 10_000 },
      message: /rope_theta is 10000, but the model in use has 500000/,
    },
    {
      name: "a scaled rotary embedding",
      config: { rope_scaling: { rope_type: "llama3", factor: 8 } },
      message: /rope_type is llama3, but the model in use has default/,
    },
    {
      name: "a configuration of something else",
      config: { hidden_size: "wide" },
      message: /config\.json is not a model's configuration/,
    },
    {
      name: "no configuration",
      write: () => rm(join(folder, "config.json")),
      message: /cannot be loaded: ENOENT.*config\.json/,
    },
    {
      name: "no weights",
      write: () => rm(join(folder, "model.safetensors")),
      message: /has neither model\.safetensors nor model\.safetensors\.index\.json/,
    },
    {
      name: "a file that is not safetensors",
      write: () => writeFile(join(folder, "model.safetensors"), "not a header"),
      message: /model\.safetensors cannot be read: not a safetensors file/,
    },
    {
      name: "an index without its shard",
      write: async () => {
        await rm(join(folder, "model.safetensors"));
        const index = { weight_map: { [FIRST]: "one.safetensors" } };
        await writeFile(join(folder, "model.safetensors.index.json"), JSON.stringify(index));
      },
      message: /one\.safetensors cannot be read: ENOENT/,
    },
    {
      name: "an index that leaves the folder",
      write: async () => {
        await rm(join(folder, "model.safetensors"));
        const index = { weight_map: { [FIRST]: "../one.safetensors" } };
        await writeFile(join(folder, "model.safetensors.index.json"), JSON.stringify(index));
      },
      message: /index\.json is not an index of safetensors files/,
    },
  ];

  for (const { name, config, tensors: list = tensors, write, message } of cases) {
    it(`is refused, and the old weights stay: ${name}`, async () => {
      const before = await generate(engine);
      await writeConfig(folder, config);
      await writeTensors(list);
      await write?.();
      await expect(load(folder)).rejects.toMatchObject({ name: "EngineError", code: "engine_error" });
      await expect(engine.localWeights?.prepare?.(folder)).rejects.toThrow(message);
      await expect(engine.localWeights?.prepare?.(folder)).rejects.toThrow(folder);
      expectSame(await generate(engine), before);
    });
  }
});

describe("a GGUF file that does not fit", () => {
  const replace = (from: string, to: string) => {
    const file = Buffer.from(tinyModelFiles(SEED).get("model.gguf") ?? "");
    const at = file.indexOf(from);
    expect(at).toBeGreaterThan(0);
    file.write(to, at, "latin1");
    return file;
  };
  const contextLength = () => {
    const file = replace("llama.context_length", "llama.context_length");
    const at = file.indexOf("llama.context_length") + "llama.context_length".length + 4;
    file.writeUInt32LE(4096, at);
    return file;
  };

  const withNan = () => {
    const file = replace("weather", "weather");
    file.writeFloatLE(Number.NaN, file.length - 400);
    return file;
  };

  const cases: readonly { readonly name: string; readonly file: () => Buffer; readonly message: RegExp }[] = [
    {
      name: "another architecture",
      file: () => makeVariantGguf({ architecture: "qwen2" }),
      message: /the architecture is qwen2, but the engine runs llama/,
    },
    { name: "another vocabulary", file: () => replace("weather", "feather"), message: /the vocabulary differs/ },
    {
      name: "another context",
      file: contextLength,
      message: /the context length is 4096, but the model in use has 131072/,
    },
    {
      name: "another tensor",
      file: () => replace("blk.1.ffn_up.weight", "blk.1.ffn_xx.weight"),
      message: /has no tensor blk\.1\.ffn_xx\.weight/,
    },
    { name: "no GGUF", file: () => Buffer.from("something else entirely"), message: /cannot be loaded/ },
    { name: "a weight that is not a number", file: withNan, message: /cannot be loaded/ },
    {
      name: "a file cut off",
      file: () => replace("weather", "weather").subarray(0, 300_000),
      message: /cannot be loaded/,
    },
  ];

  for (const { name, file, message } of cases) {
    it(`is refused, and the old weights stay: ${name}`, async () => {
      const before = await generate(engine);
      const path = join(folder, "other.gguf");
      await writeFile(path, file());
      await expect(load(path)).rejects.toMatchObject({ name: "EngineError", code: "engine_error" });
      await expect(engine.localWeights?.prepare?.(path)).rejects.toThrow(message);
      expectSame(await generate(engine), before);
    });
  }

  it("is refused: a file that does not exist", async () => {
    await expect(load(join(folder, "missing.gguf"))).rejects.toThrow(/missing\.gguf cannot be loaded: ENOENT/);
  });
});

describe("a loaded file", () => {
  it("may be overwritten or deleted while its weights are in use, and the next folder is still converted", async () => {
    const path = join(folder, "step.gguf");
    await writeFile(path, tinyModelFiles(SEED).get("model.gguf") ?? "");
    await load(path);
    await writeFile(path, "");
    const output = await generate(engine);
    await rm(path);
    expectSame(await generate(engine), output);
    await load(other.folder);
    expectSame(await generate(engine), output);
  });
});
