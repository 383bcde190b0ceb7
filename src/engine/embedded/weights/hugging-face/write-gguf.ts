import { type FileHandle, open } from "node:fs/promises";
import { countElements } from "../../../../support/safetensors/dtype.js";
import { EngineError } from "../../../engine.js";
import { GGML_TYPE, GGUF_HEADER_BYTES, type GgufMetadataBytes, type TemplateTensor } from "../model-template.js";
import { areFinite, widen } from "./float-types.js";
import type { PlannedSource, PlannedTensor } from "./plan-conversion.js";
import { interleaveHeads } from "./rotary-order.js";

/** Limit of what is read at once, unless one attention head is larger. */
const CHUNK_BYTES = 1 << 22;

/** Writes a GGUF file with the metadata of the model in use and the planned tensors. The weights pass through in pieces. */
export async function writeGguf(
  path: string,
  metadata: GgufMetadataBytes,
  plan: readonly PlannedTensor[],
): Promise<void> {
  await using file = await open(path, "wx");
  const tensors = plan.map(({ tensor }) => tensor);
  await writeFully(file, encodeGgufHeader(metadata, tensors));
  for (const { tensor, source } of plan) {
    let written = 0;
    for await (const piece of readPieces(tensor, source)) {
      await writeFully(file, piece);
      written += piece.length;
    }
    await writeFully(file, ggufPadding(written, metadata.alignment));
  }
}

async function* readPieces(tensor: TemplateTensor, source: PlannedSource): AsyncGenerator<Uint8Array> {
  if (source.from === "template") {
    yield source.bytes;
    return;
  }
  const { path, file, entry } = source.found;
  const byteLength = entry.end - entry.start;
  const headBytes = source.heads === undefined ? 2 : byteLength / source.heads;
  const step = Math.max(1, Math.floor(CHUNK_BYTES / headBytes)) * headBytes;
  const { heads = 1 } = source;
  const [rows = 1] = entry.shape;
  const headRows = rows / heads;
  for (let at = 0; at < byteLength; at += step) {
    const bytes = await file.bytes(entry, at, Math.min(step, byteLength - at));
    if (!areFinite(bytes, source.dtype)) {
      throw new EngineError("engine_error", `${path}: tensor ${entry.name} has a number that is not finite.`);
    }
    const ordered = source.heads === undefined ? bytes : interleaveHeads(bytes, headBytes / headRows, headRows);
    yield tensor.type === GGML_TYPE.F32 ? widen(ordered, source.dtype) : ordered;
  }
}

/** A part of the metadata that a header needs. */
export type GgufHeader = Pick<GgufMetadataBytes, "version" | "pairs" | "bytes" | "alignment">;

/** Returns what a GGUF file begins with. Each tensor follows with its {@link ggufPadding}. */
export function encodeGgufHeader(
  { version, pairs, bytes, alignment }: GgufHeader,
  tensors: readonly TemplateTensor[],
): Buffer {
  const start = Buffer.alloc(GGUF_HEADER_BYTES);
  start.write("GGUF");
  start.writeUInt32LE(version, 4);
  start.writeBigUInt64LE(BigInt(tensors.length), 8);
  start.writeBigUInt64LE(pairs, 16);
  let offset = 0;
  const infos = tensors.map((tensor) => {
    const info = encodeInfo(tensor, offset);
    const size = countElements(tensor.shape) * (tensor.type === GGML_TYPE.F32 ? 4 : 2);
    offset += size + ggufPadding(size, alignment).length;
    return info;
  });
  const header = Buffer.concat([start, bytes, ...infos]);
  return Buffer.concat([header, ggufPadding(header.length, alignment)]);
}

function encodeInfo({ name, shape, type }: TemplateTensor, offset: number): Buffer {
  const text = Buffer.from(name, "utf8");
  const info = Buffer.alloc(8 + text.length + 4 + 8 * shape.length + 4 + 8);
  let at = info.writeBigUInt64LE(BigInt(text.length), 0);
  at += text.copy(info, at);
  at = info.writeUInt32LE(shape.length, at);
  for (const extent of shape) at = info.writeBigUInt64LE(BigInt(extent), at);
  at = info.writeUInt32LE(type, at);
  info.writeBigUInt64LE(BigInt(offset), at);
  return info;
}

/** Returns the zeros after this number of bytes. */
export function ggufPadding(length: number, alignment: number): Uint8Array {
  return new Uint8Array((alignment - (length % alignment)) % alignment);
}

async function writeFully(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}
