import { EngineError } from "../../../engine.js";
import { describeWrongShape, OUTPUT_TENSOR } from "../check-gguf.js";
import { GGML_TYPE, type ModelTemplate, ROTARY_FACTORS, type TemplateTensor } from "../model-template.js";
import type { CheckpointFiles, CheckpointTensor } from "./checkpoint-files.js";
import { type FloatType, isFloatType } from "./float-types.js";
import type { HuggingFaceConfig } from "./hugging-face-config.js";
import { toHuggingFaceName } from "./tensor-names.js";

/** A tensor of the GGUF file to be written, and what it is made of. */
export interface PlannedTensor {
  readonly tensor: TemplateTensor;
  readonly source: PlannedSource;
}

export type PlannedSource =
  | { readonly from: "template"; readonly bytes: Uint8Array }
  | {
      readonly from: "checkpoint";
      readonly found: CheckpointTensor;
      readonly dtype: FloatType;
      /** Number of attention heads whose rows have another order in GGUF; undefined if the order is the same. */
      readonly heads: number | undefined;
    };

/** Tensors that old checkpoints have although they can be computed. */
const COMPUTED = /\.rotary_emb\.inv_freq$/;
const OUTPUT_MATRIX = "lm_head.weight";

/**
 * Finds the source of every tensor of the model in use, and checks names, shapes and types. Reads no weights.
 *
 * @throws EngineError that names the tensor
 */
export function planConversion(
  folder: string,
  files: Pick<CheckpointFiles, "tensors">,
  config: HuggingFaceConfig,
  template: ModelTemplate,
): PlannedTensor[] {
  const refuse = (problem: string) => new EngineError("engine_error", `${folder}: ${problem}`);
  const rest = new Set([...files.tensors.keys()].filter((name) => !COMPUTED.test(name)));
  // A checkpoint with tied embeddings may have the matrix twice.
  const tied = config.tied ?? !rest.has(OUTPUT_MATRIX);
  if (tied) rest.delete(OUTPUT_MATRIX);
  const plan = listTensors(template, tied).map((expected): PlannedTensor => {
    if (expected.name === ROTARY_FACTORS && template.rotaryFactors) {
      return { tensor: expected, source: { from: "template", bytes: template.rotaryFactors } };
    }
    const name = toHuggingFaceName(expected.name);
    if (name === undefined)
      throw refuse(`tensor ${expected.name} of the model in use has no counterpart in safetensors.`);
    const found = files.tensors.get(name);
    if (!found) throw refuse(`tensor ${name} is missing.`);
    rest.delete(name);
    const { dtype, shape } = found.entry;
    const expectedShape = expected.shape.toReversed();
    if (String(shape) !== String(expectedShape)) throw refuse(describeWrongShape(name, shape, expectedShape));
    if (!isFloatType(dtype))
      throw refuse(`tensor ${name} has the type ${dtype}; only F32, F16 and BF16 can be loaded.`);
    const heads = config.interleaved ? countHeads(expected.name, config) : undefined;
    return {
      tensor: { ...expected, type: chooseType(expected, dtype) },
      source: { from: "checkpoint", found, dtype, heads },
    };
  });
  const [unknown] = rest;
  if (unknown !== undefined) throw refuse(`the model in use has no tensor ${unknown}.`);
  return plan;
}

/** Returns the tensors of the model in use, with or without an output matrix of its own. */
function listTensors({ tensors }: ModelTemplate, tied: boolean): TemplateTensor[] {
  const list = [...tensors.values()].filter(({ name }) => name !== OUTPUT_TENSOR);
  const output = tensors.get(OUTPUT_TENSOR);
  const embedding = tensors.get("token_embd.weight");
  if (tied || !embedding) return list;
  return [...list, output ?? { ...embedding, name: OUTPUT_TENSOR }];
}

/**
 * Never rounds. Tensors get 32 bits if the model in use has them so, and the checkpoint's type otherwise. llama.cpp reads
 * vectors only with 32 bits.
 */
function chooseType({ type, shape }: TemplateTensor, dtype: FloatType): number {
  return shape.length === 1 || type === GGML_TYPE.F32 ? GGML_TYPE.F32 : GGML_TYPE[dtype];
}

function countHeads(name: string, { heads, keyValueHeads }: HuggingFaceConfig): number | undefined {
  if (/\.attn_q\./.test(name)) return heads;
  return /\.attn_k\./.test(name) ? keyValueHeads : undefined;
}
