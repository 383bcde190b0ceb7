import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { GgufFileInfo } from "node-llama-cpp";
import { openRegularFile } from "../../../support/regular-file.js";
import { EngineError } from "../../engine.js";

/** Types of tensors in ggml: https://github.com/ggml-org/ggml/blob/master/include/ggml.h */
export const GGML_TYPE = { F32: 0, F16: 1, BF16: 30 } as const;

/** Factors of Llama 3's rotary embedding. Only GGUF files have them as a tensor. */
export const ROTARY_FACTORS = "rope_freqs.weight";

export interface TemplateTensor {
  readonly name: string;
  /** In ggml's order: `shape[0]` is the number of columns. */
  readonly shape: readonly number[];
  /** A value of ggml's enumeration. */
  readonly type: number;
}

/**
 * The properties that new weights share with the model in use, and the parts of a GGUF file that safetensors files lack: metadata
 * and vocabulary. They are kept in memory, because the file may change while the engine runs.
 */
export interface ModelTemplate {
  readonly architecture: string;
  /** The model's own limit, not the engine's. */
  readonly contextLength: number | undefined;
  /** Digest of the tokens in the order of their ids. */
  readonly vocabulary: string;
  readonly tensors: ReadonlyMap<string, TemplateTensor>;
  readonly metadata: GgufMetadataBytes;
  /** Bytes of the tensor {@link ROTARY_FACTORS}, if the model has it. */
  readonly rotaryFactors: Uint8Array | undefined;
  /** Returns a number of the architecture's metadata, for example of `attention.head_count`. */
  number(key: string): number | undefined;
  /** Returns a text of the architecture's metadata. */
  text(key: string): string | undefined;
}

export interface GgufMetadataBytes {
  readonly version: number;
  readonly pairs: bigint;
  /** The encoded key-value pairs. */
  readonly bytes: Uint8Array;
  /** The data of each tensor begins at a multiple of it. */
  readonly alignment: number;
  /** The model is stored in several files, so the pairs describe only one of them. */
  readonly split: boolean;
}

/** Size of magic, version and the counts of tensors and pairs: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
export const GGUF_HEADER_BYTES = 24;
const DEFAULT_ALIGNMENT = 32;

/** @param path the file that `info` describes */
export async function readModelTemplate(info: GgufFileInfo, path: string): Promise<ModelTemplate> {
  const { architecture, alignment } = info.metadata.general;
  const tensors = new Map((info.fullTensorInfo ?? info.tensorInfo ?? []).map((each) => [each.name, toTensor(each)]));
  await using file = await openRegularFile(path);
  const header = Buffer.alloc(info.metadataSize);
  await readFully(file, header, 0, path);
  const factors = info.tensorInfo?.find(({ name }) => name === ROTARY_FACTORS);
  const rotaryFactors = factors && Buffer.alloc(4 * Number(factors.dimensions[0]));
  if (rotaryFactors) await readFully(file, rotaryFactors, Number(factors.fileOffset), path);
  const lookUp = (key: string) => lookUpKey(info.metadata, [architecture, ...key.split(".")]);
  return {
    architecture,
    contextLength: asNumber(lookUp("context_length")),
    vocabulary: digest(info.metadata.tokenizer.ggml.tokens),
    tensors,
    metadata: {
      version: header.readUInt32LE(4),
      pairs: header.readBigUInt64LE(16),
      bytes: header.subarray(GGUF_HEADER_BYTES),
      alignment: alignment ?? DEFAULT_ALIGNMENT,
      split: info.splicedParts > 1,
    },
    rotaryFactors,
    number: (key) => asNumber(lookUp(key)),
    text: (key) => asText(lookUp(key)),
  };
}

/** Returns the digest of a vocabulary, for {@link ModelTemplate.vocabulary}. */
export function digest(tokens: readonly string[]): string {
  const hash = createHash("sha256");
  for (const token of tokens) hash.update(`${Buffer.byteLength(token)} ${token}`);
  return hash.digest("hex");
}

type GgufTensor = NonNullable<GgufFileInfo["tensorInfo"]>[number];

export function toTensor({ name, dimensions, ggmlType }: GgufTensor): TemplateTensor {
  return { name, shape: dimensions.map(Number), type: ggmlType };
}

async function readFully(file: Awaited<ReturnType<typeof open>>, bytes: Uint8Array, position: number, path: string) {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, position + at);
    if (bytesRead === 0) throw new EngineError("engine_error", `${path} ended while it was read.`);
    at += bytesRead;
  }
}

function lookUpKey(metadata: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => Object(value)[key], metadata);
}

function asNumber(value: unknown): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
