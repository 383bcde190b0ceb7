import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { requireRegularFile } from "../../../../support/regular-file.js";
import { EngineError } from "../../../engine.js";
import { type ModelTemplate, ROTARY_FACTORS } from "../model-template.js";

/** GGUF architectures whose Hugging Face folders can be loaded, and whether GGUF has their q and k in another order. */
const ARCHITECTURES: ReadonlyMap<string, { readonly interleaved: boolean }> = new Map([
  ["llama", { interleaved: true }],
  ["qwen2", { interleaved: false }],
  ["qwen3", { interleaved: false }],
]);

const ropeSchema = z.looseObject({
  rope_theta: z.number().optional(),
  rope_type: z.string().optional(),
  /** The older name of `rope_type`. */
  type: z.string().optional(),
  factor: z.number().optional(),
});

const configSchema = z.looseObject({
  model_type: z.string(),
  vocab_size: z.number(),
  hidden_size: z.number(),
  intermediate_size: z.number(),
  num_hidden_layers: z.number(),
  num_attention_heads: z.number(),
  num_key_value_heads: z.number().nullish(),
  head_dim: z.number().nullish(),
  max_position_embeddings: z.number(),
  rms_norm_eps: z.number(),
  rope_theta: z.number().nullish(),
  /** transformers 4 writes `rope_scaling`, transformers 5 `rope_parameters`. */
  rope_scaling: ropeSchema.nullish(),
  rope_parameters: ropeSchema.nullish(),
  tie_word_embeddings: z.boolean().nullish(),
});

type Config = z.infer<typeof configSchema>;

export interface HuggingFaceConfig {
  /** GGUF has the rows of q and k in another order. */
  readonly interleaved: boolean;
  readonly heads: number;
  readonly keyValueHeads: number;
  /** The embedding is also the output matrix; undefined if the file does not say it. */
  readonly tied: boolean | undefined;
}

/**
 * Reads `config.json` and checks that it describes the model in use.
 *
 * @throws EngineError
 */
export async function readHuggingFaceConfig(folder: string, template: ModelTemplate): Promise<HuggingFaceConfig> {
  const path = join(folder, "config.json");
  await requireRegularFile(path);
  const config = parseConfig(path, await readFile(path, "utf8"));
  const architecture = ARCHITECTURES.get(template.architecture);
  if (!architecture) {
    const known = [...ARCHITECTURES.keys()].join(", ");
    const message = `${folder}: safetensors can be loaded only for the architectures ${known}; the engine runs ${template.architecture}.`;
    throw new EngineError("engine_error", message);
  }
  for (const { field, value, expected } of listFields(config, template)) {
    if (expected === undefined || isSame(value, expected)) continue;
    throw new EngineError("engine_error", `${path}: ${field} is ${value}, but the model in use has ${expected}.`);
  }
  return {
    interleaved: architecture.interleaved,
    heads: config.num_attention_heads,
    keyValueHeads: config.num_key_value_heads ?? config.num_attention_heads,
    tied: config.tie_word_embeddings ?? undefined,
  };
}

function parseConfig(path: string, text: string): Config {
  const parsed = configSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new EngineError("engine_error", `${path} is not a model's configuration: ${z.prettifyError(parsed.error)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Field {
  readonly field: string;
  readonly value: number | string | undefined;
  /** Undefined if the GGUF file does not say it. */
  readonly expected: number | string | undefined;
}

function listFields(config: Config, template: ModelTemplate): Field[] {
  const heads = template.number("attention.head_count");
  const width = template.number("embedding_length");
  const headWidth = template.number("attention.key_length") ?? (heads && width && width / heads);
  const rope = config.rope_parameters ?? config.rope_scaling ?? {};
  const ropeType = rope.rope_type ?? rope.type ?? "default";
  const expectedRope = expectedRopeType(template);
  return [
    { field: "model_type", value: config.model_type, expected: template.architecture },
    { field: "vocab_size", value: config.vocab_size, expected: template.tensors.get("token_embd.weight")?.shape[1] },
    { field: "hidden_size", value: config.hidden_size, expected: width },
    { field: "intermediate_size", value: config.intermediate_size, expected: template.number("feed_forward_length") },
    { field: "num_hidden_layers", value: config.num_hidden_layers, expected: template.number("block_count") },
    { field: "num_attention_heads", value: config.num_attention_heads, expected: heads },
    {
      field: "num_key_value_heads",
      value: config.num_key_value_heads ?? config.num_attention_heads,
      expected: template.number("attention.head_count_kv") ?? heads,
    },
    {
      field: "head_dim",
      value: config.head_dim ?? config.hidden_size / config.num_attention_heads,
      expected: headWidth,
    },
    { field: "max_position_embeddings", value: config.max_position_embeddings, expected: template.contextLength },
    {
      field: "rms_norm_eps",
      value: config.rms_norm_eps,
      expected: template.number("attention.layer_norm_rms_epsilon"),
    },
    {
      field: "rope_theta",
      value: rope.rope_theta ?? config.rope_theta ?? 10_000,
      expected: template.number("rope.freq_base") ?? 10_000,
    },
    { field: "rope_type", value: ropeType, expected: expectedRope },
    {
      field: "the rotary embedding's factor",
      value: rope.factor ?? 1,
      expected:
        expectedRope === "linear" || expectedRope === "yarn" ? template.number("rope.scaling.factor") : undefined,
    },
  ];
}

function expectedRopeType(template: ModelTemplate): string {
  if (template.tensors.has(ROTARY_FACTORS)) return "llama3";
  const type = template.text("rope.scaling.type") ?? "none";
  return type === "none" ? "default" : type;
}

/** GGUF files have numbers of 32 bits. */
function isSame(value: number | string | undefined, expected: number | string): boolean {
  if (typeof value !== "number" || typeof expected !== "number") return value === expected;
  return Math.abs(value - expected) <= 1e-6 * Math.abs(expected);
}
