import { ApiError } from "../../http/errors.js";
import { encodeHeader, tensorBytes } from "../../support/safetensors/write-header.js";
import { CHUNK_BYTES, type Column } from "./columns.js";
import { mergedMetadata } from "./metadata.js";
import { packedColumns } from "./packed.js";
import { type Padding, paddedColumns } from "./padded.js";
import type { Part } from "./part.js";
import { RowTensors } from "./row-tensors.js";
import { findSegments, type Segment } from "./segments.js";
import { treeColumns } from "./tree.js";

export type BatchLayout = "padded" | "packed" | "tree";

export interface MergeOptions extends Padding {
  readonly layout: BatchLayout;
}

/** A batch that is put together while it is sent: planned as a whole, and each byte written when it is asked for. */
export interface MergedBatch {
  readonly byteLength: number;
  /** The safetensors file, in pieces. */
  chunks(): Generator<Uint8Array>;
}

const MAX_OFFSET = 2 ** 31 - 1;

/** The layout in which a worker is asked for its part. Rows are padded to the longest of all parts, so here. */
export function partLayout(layout: BatchLayout): "packed" | "tree" {
  return layout === "tree" ? "tree" : "packed";
}

/**
 * Puts the parts of several workers together, byte for byte the file that one worker with all these sessions would send.
 *
 * @param sessionIds all sessions of the parts, in the order of the batch
 * @throws {@link ApiError} `batch_too_large` if offsets or the header do not fit the format
 */
export function mergeParts(parts: readonly Part[], sessionIds: readonly string[], options: MergeOptions): MergedBatch {
  const offsets = options.layout === "tree" ? "node_offsets" : "cu_seqlens";
  const segments = findSegments(parts, sessionIds, offsets);
  const rowTensors = new RowTensors(parts, segments);
  const columns = planColumns(segments, options, rowTensors);
  const metadata = mergedMetadata({ parts, segments, sessionIds, labels: rowTensors.labels }, options.layout);
  const header = buildHeader(columns, metadata);
  const byteLength = columns.reduce((sum, column) => sum + tensorBytes(column), header.length);
  return { byteLength, chunks: () => gathered(header, columns) };
}

function buildHeader(columns: readonly Column[], metadata: Readonly<Record<string, string>>): Buffer {
  try {
    return encodeHeader(columns, metadata);
  } catch (error) {
    throw error instanceof RangeError
      ? new ApiError("batch_too_large", `The batch has too many rows. ${error.message}`)
      : error;
  }
}

function planColumns(segments: readonly Segment[], options: MergeOptions, rowTensors: RowTensors): Column[] {
  const tokens = segments.reduce((sum, { tokens: [from, to] }) => sum + to - from, 0);
  if (options.layout !== "padded" && tokens > MAX_OFFSET) {
    throw new ApiError("batch_too_large", `The batch has ${tokens} tokens; its int32 offsets count to ${MAX_OFFSET}.`);
  }
  if (options.layout === "padded") return paddedColumns(segments, options, rowTensors);
  return options.layout === "packed" ? packedColumns(segments, rowTensors) : treeColumns(segments, rowTensors);
}

/** Small pieces are copied together: a write to a socket costs more than they do. */
function* gathered(header: Uint8Array, columns: readonly Column[]): Generator<Uint8Array> {
  let block = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = 0;
  for (const piece of pieces(header, columns)) {
    if (used > 0 && used + piece.length > CHUNK_BYTES) {
      yield block.subarray(0, used);
      block = Buffer.allocUnsafe(CHUNK_BYTES);
      used = 0;
    }
    if (piece.length >= CHUNK_BYTES) {
      yield piece;
    } else {
      block.set(piece, used);
      used += piece.length;
    }
  }
  if (used > 0) yield block.subarray(0, used);
}

function* pieces(header: Uint8Array, columns: readonly Column[]): Generator<Uint8Array> {
  yield header;
  for (const column of columns) yield* column.chunks();
}
