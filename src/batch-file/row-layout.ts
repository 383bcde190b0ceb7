import type { TensorValues } from "../support/safetensors/tensor-file.js";
import type { BatchRows } from "./batch-rows.js";
import { findTensor, readAll, readRange, type TensorBytes } from "./tensor-ranges.js";

/** Tokens of a sequence that lie together in the token tensors. */
export interface TokenRun {
  /** Index of the first token in the flat token tensors. */
  readonly at: number;
  readonly count: number;
}

/** Finds the tokens of rows in the token tensors of a batch. */
export interface RowLayout {
  /**
   * Returns where tokens [from, to) of the sequence of a row lie, in order. Positions count from the start of the sequence,
   * which for a node of a tree begins at the root. Tokens that the row does not have are left out.
   */
  runs(row: number, from: number, to: number): Promise<readonly TokenRun[]>;
  /** Returns the number of tokens of the row's sequence. */
  length(row: number): number;
  /** Returns the position of the row's own first token in its sequence: 0 except for nodes of a tree. */
  ownStart(row: number): number;
}

/** Returns the layout of a batch; undefined if the file has no token tensors of a known layout. */
export async function readLayout(file: TensorBytes, rows: BatchRows): Promise<RowLayout | undefined> {
  const ids = findTensor(file, "input_ids", "I32");
  if (!ids) return undefined;
  const lengths = rows.all.map(({ length }) => length);
  const [, width] = ids.shape;
  if (ids.shape.length === 2 && width !== undefined) return paddedLayout(file, lengths, width);
  const tokens = ids.shape[0] ?? 0;
  const starts = await readAll(file, "cu_seqlens", "I32");
  if (starts) return packedLayout(starts, lengths);
  const offsets = await readAll(file, "node_offsets", "I32");
  const parents = await readAll(file, "node_parents", "I32");
  const ends = await readAll(file, "node_lengths", "I32");
  return offsets && parents && ends ? treeLayout({ offsets, parents, ends, tokens }) : undefined;
}

function paddedLayout(file: TensorBytes, lengths: readonly number[], width: number): RowLayout {
  const mask = findTensor(file, "attention_mask", "BOOL");
  /** Rows are padded on the left if the first token of a shorter row is padding. */
  const readPadding = async (row: number, length: number): Promise<number> => {
    if (!mask || length === 0 || length >= width) return 0;
    const [isToken] = await readRange(file, mask, row * width, row * width + 1);
    return isToken === 0 ? width - length : 0;
  };
  const length = (row: number) => Math.min(width, lengths[row] ?? 0);
  return {
    length,
    ownStart: () => 0,
    runs: async (row, from, to) => {
      const start = row * width + (await readPadding(row, length(row)));
      return cut(start, length(row), from, to);
    },
  };
}

function packedLayout(starts: TensorValues, lengths: readonly number[]): RowLayout {
  const length = (row: number) => Math.max(0, Math.min(lengths[row] ?? 0, (starts[row + 1] ?? 0) - (starts[row] ?? 0)));
  return {
    length,
    ownStart: () => 0,
    runs: async (row, from, to) => cut(starts[row] ?? 0, length(row), from, to),
  };
}

/** Returns the tokens [from, to) of a row whose tokens lie together from `start` on. */
function cut(start: number, length: number, from: number, to: number): readonly TokenRun[] {
  const count = Math.min(to, length) - from;
  return count > 0 ? [{ at: start + from, count }] : [];
}

interface TreeTensors {
  readonly offsets: TensorValues;
  readonly parents: TensorValues;
  /** Number of tokens of the sequence that ends with the node. */
  readonly ends: TensorValues;
  readonly tokens: number;
}

/** A node's own tokens lie together; those before them are the first tokens of its parent's sequence. */
function treeLayout({ offsets, parents, ends, tokens }: TreeTensors): RowLayout {
  const length = (node: number) => ends[node] ?? 0;
  const readOwn = (node: number) => [offsets[node] ?? 0, Math.min(tokens, offsets[node + 1] ?? 0)] as const;
  const ownStart = (node: number) => {
    const [first, last] = readOwn(node);
    return length(node) - (last - first);
  };
  const runs = async (row: number, from: number, to: number): Promise<readonly TokenRun[]> => {
    const found: TokenRun[] = [];
    let end = Math.min(to, length(row));
    // A parent comes before its children, so a damaged file cannot make this loop endless.
    for (let node = row; node >= 0 && end > from; ) {
      const [first] = readOwn(node);
      const start = ownStart(node);
      if (end > start) {
        const begin = Math.max(from, start);
        found.unshift({ at: first + begin - start, count: Math.min(end, length(node)) - begin });
        end = begin;
      }
      const parent = parents[node] ?? -1;
      if (parent >= node) break;
      node = parent;
    }
    return found.filter(({ at, count }) => at >= 0 && count > 0);
  };
  return { length, ownStart, runs };
}
