import { encodeGgufHeader, ggufPadding } from "../weights/hugging-face/write-gguf.js";
import { GGML_TYPE } from "../weights/model-template.js";
import type { GgmlTensor } from "./weights.js";

/**
 * A metadata value with its GGUF type.
 *
 * Format: GGUF version 3, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export type GgufValue =
  | { readonly type: "u32" | "i32" | "f32"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "strings"; readonly value: readonly string[] }
  | { readonly type: "i32s"; readonly value: readonly number[] };

const TYPE_CODE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;
const ALIGNMENT = 32;
const VERSION = 3;

/** Returns the bytes of a GGUF file with float32 tensors. */
export function encodeGguf(metadata: ReadonlyMap<string, GgufValue>, tensors: readonly GgmlTensor[]): Buffer {
  const pairs = Array.from(metadata, ([key, value]) => Buffer.concat([string(key), encodeValue(value)]));
  const header = { version: VERSION, pairs: BigInt(pairs.length), bytes: Buffer.concat(pairs), alignment: ALIGNMENT };
  const described = tensors.map(({ name, shape }) => ({ name, shape, type: GGML_TYPE.F32 }));
  return Buffer.concat([
    encodeGgufHeader(header, described),
    ...tensors.flatMap(({ data }) => [
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
      ggufPadding(data.byteLength, ALIGNMENT),
    ]),
  ]);
}

function encodeValue(entry: GgufValue): Buffer {
  switch (entry.type) {
    case "u32":
      return Buffer.concat([u32(TYPE_CODE.u32), u32(entry.value)]);
    case "i32":
      return Buffer.concat([u32(TYPE_CODE.i32), i32(entry.value)]);
    case "f32":
      return Buffer.concat([u32(TYPE_CODE.f32), f32(entry.value)]);
    case "bool":
      return Buffer.concat([u32(TYPE_CODE.bool), Buffer.from([entry.value ? 1 : 0])]);
    case "string":
      return Buffer.concat([u32(TYPE_CODE.string), string(entry.value)]);
    case "strings":
      return array(TYPE_CODE.string, entry.value.map(string));
    case "i32s":
      return array(TYPE_CODE.i32, entry.value.map(i32));
  }
}

function array(elementType: number, elements: readonly Buffer[]): Buffer {
  return Buffer.concat([u32(TYPE_CODE.array), u32(elementType), u64(elements.length), ...elements]);
}

function string(text: string): Buffer {
  return Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text, "utf8")]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function i32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}
