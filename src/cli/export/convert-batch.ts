import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { readRows } from "../../batch-file/batch-rows.js";
import { type BatchOptions, type BatchOptionsInput, batchOptionsSchema } from "../../session/batch/batch-options.js";
import { FILE_TENSORS } from "../../session/batch/image-tensors.js";
import type { FileAccess } from "../../support/file-access.js";
import { countElements, type Dtype, ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { type Header, readHeader } from "../../support/safetensors/read-header.js";
import { encodeHeader, type TensorSpec, tensorBytes } from "../../support/safetensors/write-header.js";
import { writeBatchFile } from "../rollout/batch-file.js";
import { StorageCommandError } from "../storage/errors.js";
import { readBatchFacts } from "./batch-facts.js";
import { toFlag } from "./export-options.js";
import { readImageFiles, writeImageFiles } from "./image-files.js";
import { sessionsFileOf } from "./sessions-file-path.js";
import type { WrittenExport } from "./write-export.js";

/** Options that change how rows are laid out, but not what they contain. */
const LAYOUT_OPTIONS: ReadonlySet<string> = new Set(["layout", "padTokenId", "padSide", "padToMultipleOf"]);

const CHUNK_BYTES = 1 << 24;

/**
 * Writes a batch in the layout `padded` or `packed`, with other padding, or with its images as files. An export of the sessions with these
 * options has the same bytes.
 *
 * @param given the options that the user set
 * @throws StorageCommandError `invalid_arguments` if the options need more than the batch has
 */
export async function convertBatch(
  file: string,
  given: Readonly<Record<string, unknown>>,
  out: string,
  files: FileAccess,
): Promise<WrittenExport> {
  const bytes = await readWhole(file, files);
  const header = readHeader(bytes);
  const facts: Readonly<Record<string, unknown>> = readBatchFacts(file, header);
  // Images can move from a tensor to files, but not back.
  const keepsImages = given["imageBytes"] === "files" || facts["imageBytes"] === undefined;
  const isPossible = (name: string) =>
    LAYOUT_OPTIONS.has(name) || (name === "imageBytes" && keepsImages) || isDeepStrictEqual(given[name], facts[name]);
  const impossible = Object.keys(given).find((name) => !isPossible(name));
  if (impossible !== undefined) throw missingSessions(file, toFlag(impossible));
  const options = batchOptionsSchema.parse({ ...facts, ...given } as BatchOptionsInput);
  const { layout } = options;
  if (facts["layout"] === "tree" || layout === "tree") throw missingSessions(file, `${toFlag("layout")} ${layout}`);
  if (header.metadata["shards"] !== undefined) throw missingSessions(file, "A shard");
  const rows = readRows(header);
  const lengths = rows.map(({ length }) => length);
  const hasFiles = options.imageBytes === "files";
  const laidOut = layOut(bytes, header, findStarts(bytes, header, lengths), lengths, options);
  const tensors = hasFiles ? laidOut.filter(({ name }) => !FILE_TENSORS.has(name)) : laidOut;
  if (hasFiles) await writeImageFiles(out, await readImageFiles(file, bytes, header));
  const start = encodeHeader(tensors, { ...header.metadata, layout });
  const converted = Buffer.concat([start, ...tensors.map(({ data }) => data)]);
  await writeBatchFile(out, converted);
  const sessions = new Set(rows.map(({ session_id }) => session_id)).size;
  return { sessions, rows: rows.length, bytes: converted.length };
}

/** Returns the bytes of a file. `readFile` refuses files of more than two gigabytes. */
async function readWhole(path: string, files: FileAccess): Promise<Uint8Array> {
  const file = await files.open(path);
  try {
    const bytes = new Uint8Array((await file.stat()).size);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at), at);
      if (bytesRead === 0) throw new Error(`${path} has become shorter`);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function missingSessions(file: string, what: string): StorageCommandError {
  const message =
    `${what} needs the records of the sessions, but there is no ${sessionsFileOf(file)}. A batch alone can only change between ` +
    "the layouts padded and packed, and have its images moved to files. `rolltape rollout --sessions` keeps the records; `rolltape export --storage` reads those of a server.";
  return new StorageCommandError("invalid_arguments", message);
}

interface WrittenTensor extends TensorSpec {
  readonly data: Uint8Array;
}

/** The tensors with a value for each token, and that of padding. A packed batch also has {@link PACKED_ONLY}. */
const PADDING: Readonly<Record<string, number>> = {
  input_ids: 0,
  loss_mask: 0,
  logprobs: 0,
  versions: -1,
  attention_mask: 0,
  mm_token_type_ids: 0,
};
const PACKED_ONLY: ReadonlySet<string> = new Set(["position_ids", "cu_seqlens"]);

/** Returns the index of each row's first token in the tensors of tokens. */
function findStarts(bytes: Uint8Array, { metadata, tensors }: Header, lengths: readonly number[]): number[] {
  if (metadata["layout"] === "packed") return toStarts(lengths);
  const mask = tensors.find(({ name }) => name === "attention_mask");
  if (!mask) throw new SafetensorsError("it has no tensor attention_mask");
  const [, width = 0] = mask.shape;
  return lengths.map((_, row) => {
    const from = mask.start + row * width;
    return row * width + Math.max(0, bytes.subarray(from, from + width).indexOf(1));
  });
}

/** Returns the cumulative sums of the lengths, without the last. */
function toStarts(lengths: readonly number[]): number[] {
  let end = 0;
  return lengths.map((length) => (end += length) - length);
}

/**
 * Returns the tensors of a batch in another layout or with other padding.
 *
 * @param starts of the rows in the tensors of tokens of the file
 */
function layOut(
  bytes: Uint8Array,
  { tensors, metadata }: Header,
  starts: readonly number[],
  lengths: readonly number[],
  { layout, padTokenId, padSide, padToMultipleOf }: BatchOptions,
): WrittenTensor[] {
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  const width = Math.ceil(longest / padToMultipleOf) * padToMultipleOf;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const isPacked = layout === "packed";
  const tokenShape = isPacked ? [total] : [lengths.length, width];
  const padded = lengths.map((length, row) => row * width + (padSide === "left" ? width - length : 0));
  const targets = isPacked ? toStarts(lengths) : padded;
  const channels = readChannels(metadata["channels"]);
  return tensors.flatMap(({ name, dtype: anyDtype, shape: oldShape, start, end }): WrittenTensor[] => {
    if (PACKED_ONLY.has(name)) return [];
    const dtype = anyDtype as Dtype;
    if (channels.offsets.has(name)) {
      const offsets = readInt64(bytes.subarray(start, end));
      const tokens = isPacked ? total : lengths.length * width;
      return [int64Tensor(name, moveOffsets(offsets, { starts, targets, lengths, tokens }))];
    }
    const padding = PADDING[name] ?? (channels.items.has(name) ? 0 : undefined);
    if (padding === undefined) return [{ name, dtype, shape: oldShape, data: bytes.subarray(start, end) }];
    const item = oldShape.slice(metadata["layout"] === "packed" ? 1 : 2);
    const size = ELEMENT_BYTES[dtype] * countElements(item);
    const shape = [...tokenShape, ...item];
    const data = new Uint8Array(tensorBytes({ name, dtype, shape }));
    if (padding !== 0 || name === "input_ids") {
      new Int32Array(data.buffer).fill(isPacked ? 0 : name === "input_ids" ? padTokenId : padding);
    }
    for (const [row, length] of lengths.entries()) {
      const from = start + (starts[row] ?? 0) * size;
      data.set(bytes.subarray(from, from + length * size), (targets[row] ?? 0) * size);
    }
    const written = { name, dtype, shape, data };
    if (name !== "versions" || !isPacked) return [written];
    const positions = lengths.flatMap((length) => Array.from({ length }, (_, position) => position));
    return [written, int32Tensor("position_ids", positions), int32Tensor("cu_seqlens", [...targets, total])];
  });
}

/** The metadata `channels`. */
const channelsSchema = z.array(
  z.object({ name: z.string(), mask: z.string().optional(), offsets: z.string().optional() }),
);

/** Returns the names of the tensors of channels: items and masks, which have an entry for each token, and offsets. */
function readChannels(json = "[]"): { readonly items: ReadonlySet<string>; readonly offsets: ReadonlySet<string> } {
  const channels = channelsSchema.parse(JSON.parse(json));
  const fixed = channels.filter(({ offsets }) => offsets === undefined);
  return {
    items: new Set(fixed.flatMap(({ name, mask }) => (mask === undefined ? [name] : [name, mask]))),
    offsets: new Set(channels.flatMap(({ offsets }) => offsets ?? [])),
  };
}

/** Copies the values, because tensors of a file need not be aligned. */
function readInt64(bytes: Uint8Array): BigInt64Array {
  return new BigInt64Array(Uint8Array.from(bytes).buffer);
}

interface MovedRows {
  /** First token of each row before and after. */
  readonly starts: readonly number[];
  readonly targets: readonly number[];
  readonly lengths: readonly number[];
  /** Number of all tokens afterwards, with padding. */
  readonly tokens: number;
}

/** Returns the offsets of a ragged channel whose rows move. Their items stay where they are. */
function moveOffsets(offsets: BigInt64Array, { starts, targets, lengths, tokens }: MovedRows): BigInt64Array {
  const moved = new BigInt64Array(tokens + 1);
  let next = 0;
  for (const [row, length] of lengths.entries()) {
    const [start = 0, target = 0] = [starts[row], targets[row]];
    // Padding has no items.
    moved.fill(offsets[start] ?? 0n, next, target);
    moved.set(offsets.subarray(start, start + length), target);
    next = target + length;
  }
  return moved.fill(offsets.at(-1) ?? 0n, next);
}

function int64Tensor(name: string, values: BigInt64Array): WrittenTensor {
  return { name, dtype: "I64", shape: [values.length], data: new Uint8Array(values.buffer) };
}

function int32Tensor(name: string, values: readonly number[]): WrittenTensor {
  return { name, dtype: "I32", shape: [values.length], data: new Uint8Array(Int32Array.from(values).buffer) };
}
