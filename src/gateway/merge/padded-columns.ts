import { ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { CHUNK_BYTES, type Column, toBytes } from "./column.js";
import { readRowLengths, rewardsColumn } from "./packed-columns.js";
import { type BatchDtype, type Part, requireTensor } from "./part.js";
import type { RowTensors } from "./row-tensors.js";
import type { Segment } from "./segments.js";

export interface Padding {
  readonly pad_token_id: number;
  readonly pad_side: "left" | "right";
  readonly pad_to_multiple_of: number;
}

interface PaddedRow {
  readonly part: Part;
  /** Index of the row's first token in its part. */
  readonly from: number;
  readonly length: number;
}

/** Returns the tensors of layout `padded` (docs/reference/batch-format.md), from packed parts. */
export function paddedColumns(segments: readonly Segment[], padding: Padding, rowTensors: RowTensors): Column[] {
  const longest = readRowLengths(segments).reduce((most, length) => Math.max(most, length), 0);
  const width = Math.ceil(longest / padding.pad_to_multiple_of) * padding.pad_to_multiple_of;
  const rows = listRows(segments);
  const side = padding.pad_side;
  const column = (name: string, dtype: BatchDtype, pad: number): Column => ({
    name,
    dtype,
    shape: [rows.length, width],
    chunks: () => padRows(rows, { name, dtype, pad, width, side }),
  });
  return [
    column("input_ids", "I32", padding.pad_token_id),
    column("loss_mask", "I32", 0),
    column("logprobs", "F32", 0),
    column("versions", "I32", -1),
    rewardsColumn(segments, "rewards"),
    ...rowTensors.columns("wide"),
    column("attention_mask", "BOOL", 0),
    ...rowTensors.columns("bool"),
  ];
}

interface PaddedColumn {
  readonly name: string;
  readonly dtype: BatchDtype;
  readonly pad: number;
  readonly width: number;
  readonly side: "left" | "right";
}

function* padRows(rows: readonly PaddedRow[], column: PaddedColumn): Generator<Uint8Array> {
  const size = ELEMENT_BYTES[column.dtype];
  const perChunk = Math.max(1, Math.floor(CHUNK_BYTES / Math.max(1, column.width * size)));
  for (let first = 0; first < rows.length; first += perChunk) {
    const chunkRows = rows.slice(first, first + perChunk);
    const block = createBlock(column, chunkRows.length * column.width);
    chunkRows.forEach(({ part, from, length }, index) => {
      const { bytes } = requireTensor(part, column.name);
      const start = index * column.width + (column.side === "left" ? column.width - length : 0);
      block.set(bytes.subarray(from * size, (from + length) * size), start * size);
    });
    yield block;
  }
}

/** Returns memory that is filled with padding. For `F32` and `BOOL` the padding is always 0. */
function createBlock({ dtype, pad }: PaddedColumn, elements: number): Uint8Array {
  if (dtype === "I32") return toBytes(new Int32Array(elements).fill(pad));
  return new Uint8Array(elements * ELEMENT_BYTES[dtype]);
}

function listRows(segments: readonly Segment[]): PaddedRow[] {
  return segments.flatMap(({ part, rows, tokens }) => {
    let from = tokens[0];
    return part.rows.slice(...rows).map(({ length }) => {
      const row = { part, from, length };
      from += length;
      return row;
    });
  });
}
