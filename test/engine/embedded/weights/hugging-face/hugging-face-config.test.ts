import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readHuggingFaceConfig } from "../../../../../src/engine/embedded/weights/hugging-face/hugging-face-config.js";
import type { ModelTemplate, TemplateTensor } from "../../../../../src/engine/embedded/weights/model-template.js";
import { temporaryFolder } from "../../../../cli/rolltape.js";

const NUMBERS: Readonly<Record<string, number>> = {
  embedding_length: 64,
  feed_forward_length: 128,
  block_count: 2,
  "attention.head_count": 4,
  "attention.head_count_kv": 2,
  "attention.key_length": 16,
  "attention.layer_norm_rms_epsilon": Math.fround(1e-5),
  "rope.freq_base": 500_000,
  "rope.scaling.factor": 4,
};

const CONFIG = {
  model_type: "llama",
  vocab_size: 512,
  hidden_size: 64,
  intermediate_size: 128,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  max_position_embeddings: 4096,
  rms_norm_eps: 1e-5,
  rope_theta: 500_000,
};

interface Model {
  readonly architecture?: string;
  readonly numbers?: Readonly<Record<string, number | undefined>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly tensors?: readonly string[];
}

function makeTemplate({ architecture = "llama", numbers = {}, texts = {}, tensors = [] }: Model): ModelTemplate {
  const known = { ...NUMBERS, ...numbers };
  const shapes = ["token_embd.weight", ...tensors].map((name): [string, TemplateTensor] => [
    name,
    { name, shape: [64, 512], type: 0 },
  ]);
  return {
    architecture,
    contextLength: 4096,
    vocabulary: "",
    tensors: new Map(shapes),
    metadata: { version: 3, pairs: 0n, bytes: new Uint8Array(), alignment: 32, split: false },
    rotaryFactors: undefined,
    number: (key) => known[key],
    text: (key) => texts[key],
  };
}

async function read(changes: object, model: Model = {}) {
  const folder = join(temporaryFolder(), "weights");
  mkdirSync(folder);
  writeFileSync(join(folder, "config.json"), JSON.stringify({ ...CONFIG, ...changes }));
  return await readHuggingFaceConfig(folder, makeTemplate(model)).catch((error: Error) =>
    error.message.replace(`${folder}/`, "").replace(folder, "weights"),
  );
}

const FITS = { interleaved: true, heads: 4, keyValueHeads: 2, tied: undefined };

describe("a configuration that fits the model in use", () => {
  it.each<[object, Model, object]>([
    [{}, {}, FITS],
    [{ tie_word_embeddings: true }, {}, { ...FITS, tied: true }],
    [{ tie_word_embeddings: false }, {}, { ...FITS, tied: false }],
    [{ model_type: "qwen2" }, { architecture: "qwen2" }, { ...FITS, interleaved: false }],
    [{ model_type: "qwen3" }, { architecture: "qwen3" }, { ...FITS, interleaved: false }],
    // As many heads for keys and values as for queries.
    [
      { num_key_value_heads: undefined },
      { numbers: { "attention.head_count_kv": undefined } },
      { ...FITS, keyValueHeads: 4 },
    ],
    [{ num_key_value_heads: 4 }, { numbers: { "attention.head_count_kv": undefined } }, { ...FITS, keyValueHeads: 4 }],
    [{ head_dim: undefined }, {}, FITS],
    [{ head_dim: null }, { numbers: { "attention.key_length": undefined } }, FITS],
    [{ head_dim: 99 }, { numbers: { "attention.key_length": undefined, embedding_length: undefined } }, FITS],
    // Facts that the GGUF file does not have.
    [{ hidden_size: 99 }, { numbers: { embedding_length: undefined } }, FITS],
    [{ intermediate_size: 99 }, { numbers: { feed_forward_length: undefined } }, FITS],
    // The rotary embedding.
    [{ rope_theta: undefined, rope_parameters: { rope_theta: 500_000 } }, {}, FITS],
    [{ rope_theta: 10_000, rope_parameters: { rope_theta: 500_000 } }, {}, FITS],
    [{ rope_theta: undefined }, { numbers: { "rope.freq_base": undefined } }, FITS],
    [{ rope_scaling: { rope_type: "default" } }, { texts: { "rope.scaling.type": "none" } }, FITS],
    [{ rope_scaling: { type: "linear", factor: 4 } }, { texts: { "rope.scaling.type": "linear" } }, FITS],
    [{ rope_scaling: { rope_type: "yarn", factor: 4 } }, { texts: { "rope.scaling.type": "yarn" } }, FITS],
    [{ rope_scaling: { rope_type: "longrope", factor: 9 } }, { texts: { "rope.scaling.type": "longrope" } }, FITS],
    [{ rope_scaling: { rope_type: "llama3", factor: 9 } }, { tensors: ["rope_freqs.weight"] }, FITS],
    [
      { rope_parameters: { type: "linear", factor: 4 }, rope_scaling: {} },
      { texts: { "rope.scaling.type": "linear" } },
      FITS,
    ],
    // GGUF files have numbers of 32 bits.
    [{ rope_theta: 500_000.4 }, {}, FITS],
  ])("is read: %o, %o", async (changes, model, expected) => {
    expect(await read(changes, model)).toEqual(expected);
  });
});

describe("a configuration that does not fit", () => {
  it.each<[object, Model, string]>([
    [{ model_type: "qwen2" }, {}, "model_type is qwen2, but the model in use has llama"],
    [{ vocab_size: 513 }, {}, "vocab_size is 513, but the model in use has 512"],
    [{ hidden_size: 65 }, {}, "hidden_size is 65, but the model in use has 64"],
    [{ intermediate_size: 129 }, {}, "intermediate_size is 129, but the model in use has 128"],
    [{ num_hidden_layers: 3 }, {}, "num_hidden_layers is 3, but the model in use has 2"],
    [{ num_attention_heads: 8 }, {}, "num_attention_heads is 8, but the model in use has 4"],
    [{ num_key_value_heads: 1 }, {}, "num_key_value_heads is 1, but the model in use has 2"],
    [{ num_key_value_heads: null }, {}, "num_key_value_heads is 4, but the model in use has 2"],
    [{}, { numbers: { "attention.head_count_kv": undefined } }, "num_key_value_heads is 2, but the model in use has 4"],
    [{ head_dim: 8 }, {}, "head_dim is 8, but the model in use has 16"],
    [{ head_dim: 8 }, { numbers: { "attention.key_length": undefined } }, "head_dim is 8, but the model in use has 16"],
    [{ head_dim: undefined }, { numbers: { "attention.key_length": 8 } }, "head_dim is 16, but the model in use has 8"],
    [{ max_position_embeddings: 4095 }, {}, "max_position_embeddings is 4095, but the model in use has 4096"],
    [{ rms_norm_eps: 1e-6 }, {}, `rms_norm_eps is 0.000001, but the model in use has ${Math.fround(1e-5)}`],
    [{ rope_theta: 501_000 }, {}, "rope_theta is 501000, but the model in use has 500000"],
    [{ rope_theta: 499_000 }, {}, "rope_theta is 499000, but the model in use has 500000"],
    [{ rope_theta: undefined }, {}, "rope_theta is 10000, but the model in use has 500000"],
    [{}, { numbers: { "rope.freq_base": undefined } }, "rope_theta is 500000, but the model in use has 10000"],
    [{ rope_scaling: { rope_type: "yarn" } }, {}, "rope_type is yarn, but the model in use has default"],
    [{}, { texts: { "rope.scaling.type": "yarn" } }, "rope_type is default, but the model in use has yarn"],
    [{}, { tensors: ["rope_freqs.weight"] }, "rope_type is default, but the model in use has llama3"],
    [
      { rope_scaling: { rope_type: "yarn", factor: 8 } },
      { texts: { "rope.scaling.type": "yarn" } },
      "the rotary embedding's factor is 8, but the model in use has 4",
    ],
    [
      { rope_scaling: { rope_type: "linear" } },
      { texts: { "rope.scaling.type": "linear" } },
      "the rotary embedding's factor is 1, but the model in use has 4",
    ],
  ])("is refused with the field and both values: %o, %o", async (changes, model, problem) => {
    expect(await read(changes, model)).toBe(`config.json: ${problem}.`);
  });

  it("is refused if the architecture of the model in use has other tensors", async () => {
    expect(await read({}, { architecture: "gemma" })).toBe(
      "weights: safetensors can be loaded only for the architectures llama, qwen2, qwen3; the engine runs gemma.",
    );
  });

  it("is refused if it lacks a field or is no JSON", async () => {
    expect(await read({ hidden_size: undefined })).toMatch(
      /^config\.json is not a model's configuration: .*hidden_size/s,
    );
    const folder = temporaryFolder();
    writeFileSync(join(folder, "config.json"), "{");
    await expect(readHuggingFaceConfig(folder, makeTemplate({}))).rejects.toThrow("is not a model's configuration");
  });

  it("is refused if it is no file", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "config.json"));
    await expect(readHuggingFaceConfig(folder, makeTemplate({}))).rejects.toThrow(/regular file/);
  });
});
