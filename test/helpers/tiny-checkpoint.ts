import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FIRST_SPECIAL_ID, TINY } from "../../src/engine/embedded/tiny-model/architecture.js";
import { trainBytePairs } from "../../src/engine/embedded/tiny-model/bpe.js";
import { CORPUS } from "../../src/engine/embedded/tiny-model/corpus.js";
import { encodeGguf, type GgufValue } from "../../src/engine/embedded/tiny-model/gguf.js";
import { ggufMetadata, tinyModelFiles } from "../../src/engine/embedded/tiny-model/tiny-model-files.js";
import { type GgmlTensor, randomWeights } from "../../src/engine/embedded/tiny-model/weights.js";
import { readHeader } from "../../src/support/safetensors/read-header.js";
import { encodeHeader, type TensorSpec } from "../../src/support/safetensors/write-header.js";

/** Weights of the tiny model's shape, as a GGUF file and as a Hugging Face folder. */
export interface TinyCheckpoint {
  readonly gguf: string;
  readonly folder: string;
}

export type CheckpointTensor = TensorSpec & { readonly bytes: Uint8Array };

/** @param seed other seeds give other weights */
export async function writeTinyCheckpoint(folder: string, seed: number): Promise<TinyCheckpoint> {
  await mkdir(folder, { recursive: true });
  for (const [name, bytes] of tinyModelFiles(seed)) await writeFile(join(folder, name), bytes);
  return { gguf: join(folder, "model.gguf"), folder };
}

/** Returns the tensors of the tiny model's `model.safetensors`. */
export function readTinyTensors(seed: number): CheckpointTensor[] {
  const file = tinyFile(seed, "model.safetensors");
  return readHeader(file).tensors.map(({ name, shape, start, end }) => {
    return { name, dtype: "F32", shape, bytes: Uint8Array.from(file.subarray(start, end)) };
  });
}

/** Writes `config.json` of the tiny model with some fields changed; undefined removes a field. */
export async function writeConfig(folder: string, changes: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const config: unknown = JSON.parse(tinyFile(1, "config.json").toString());
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "config.json"), JSON.stringify({ ...Object(config), ...changes }));
}

export async function writeSafetensors(path: string, tensors: readonly CheckpointTensor[]): Promise<void> {
  await writeFile(path, Buffer.concat([encodeHeader(tensors, { format: "pt" }), ...tensors.map(({ bytes }) => bytes)]));
}

export interface VariantOptions {
  readonly architecture: "llama" | "qwen2" | "qwen3";
  /** The embedding is also the output matrix. */
  readonly tied?: boolean;
  readonly seed?: number;
}

/** Returns a GGUF file of the tiny model's size in another architecture. */
export function makeVariantGguf({ architecture, tied = false, seed = 3 }: VariantOptions): Buffer {
  const encoding = trainBytePairs(CORPUS, FIRST_SPECIAL_ID);
  const metadata = new Map<string, GgufValue>();
  for (const [key, value] of ggufMetadata(encoding)) metadata.set(key.replace(/^llama\./, `${architecture}.`), value);
  metadata.set("general.architecture", { type: "string", value: architecture });
  for (const key of ["key_length", "value_length"]) {
    metadata.set(`${architecture}.attention.${key}`, { type: "u32", value: TINY.headWidth });
  }
  const vector = (name: string, width: number): GgmlTensor => {
    return { name, shape: [width], data: Float32Array.from({ length: width }, (_, index) => 1 + index / width) };
  };
  const extra = Array.from({ length: TINY.layers }, (_, layer) => {
    if (architecture === "qwen3")
      return ["q", "k"].map((part) => vector(`blk.${layer}.attn_${part}_norm.weight`, TINY.headWidth));
    if (architecture === "llama") return [];
    return ["q", "k", "v"].map((part) => {
      return vector(`blk.${layer}.attn_${part}.bias`, part === "q" ? TINY.width : TINY.headWidth * TINY.kvHeads);
    });
  });
  const weights = randomWeights(encoding.tokens, seed).filter(({ name }) => !tied || name !== "output.weight");
  return encodeGguf(metadata, [...weights, ...extra.flat()]);
}

/** To make them takes longer than most tests that need them. */
const made = new Map<number, ReadonlyMap<string, Buffer>>();

function tinyFile(seed: number, name: string): Buffer {
  const files = made.get(seed) ?? tinyModelFiles(seed);
  made.set(seed, files);
  const file = files.get(name);
  if (!file) throw new Error(`the tiny model has no ${name}`);
  return file;
}
