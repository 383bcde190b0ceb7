import type { SafeTensors } from "./safetensors.js";

/** A token that a row trains on. */
export interface TrainedToken {
  /** Index into the row's ids. */
  readonly place: number;
  readonly id: number;
  readonly logprob: number;
}

/** One row of a batch of any layout, read as docs/reference/batch-format.md describes. */
export interface TokenRow {
  /** Without padding. */
  readonly ids: readonly number[];
  /** Index of each token in the flat tensors of the batch. */
  readonly at: readonly number[];
  readonly trained: readonly TrainedToken[];
}

/** Returns the values of a tensor, in the order of the file. */
export function column({ tensors }: SafeTensors, name: string): number[] {
  const tensor = tensors[name];
  if (!tensor) throw new Error(`The batch has no tensor ${name}: it has ${Object.keys(tensors).join(", ")}.`);
  return tensor.data;
}

/** Reads the rows of a batch from its tensors, without its metadata. */
export function rowsOf(batch: SafeTensors): TokenRow[] {
  const { layout } = batch.metadata;
  if (layout === "tree") return treeRows(batch);
  const [ids, mask, logprobs] = ["input_ids", "loss_mask", "logprobs"].map((name) => column(batch, name));
  const places = layout === "packed" ? packedPlaces(batch) : paddedPlaces(batch);
  return places.map((row) => tokenRow(row, 0, ids ?? [], mask ?? [], logprobs ?? []));
}

/** @param first the first position in the file whose token the row may train on */
function tokenRow(
  places: readonly number[],
  first: number,
  ids: readonly number[],
  mask: readonly number[],
  logprobs: readonly number[],
): TokenRow {
  const trained = places.flatMap((at, place): TrainedToken[] => {
    const token = { place, id: ids[at] ?? Number.NaN, logprob: logprobs[at] ?? Number.NaN };
    return at >= first && mask[at] === 1 ? [token] : [];
  });
  return { ids: places.map((at) => ids[at] ?? Number.NaN), at: places, trained };
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function paddedPlaces(batch: SafeTensors): number[][] {
  const [rows = 0, length = 0] = batch.tensors["input_ids"]?.shape ?? [];
  const attended = column(batch, "attention_mask");
  return range(0, rows).map((row) => range(row * length, (row + 1) * length).filter((at) => attended[at] === 1));
}

function packedPlaces(batch: SafeTensors): number[][] {
  const starts = column(batch, "cu_seqlens");
  return starts.slice(1).map((end, row) => range(starts[row] ?? 0, end));
}

/** A node's row is the sequence of its last own token, or the beginning of its parent's row if it has no own tokens. */
function treeRows(batch: SafeTensors): TokenRow[] {
  const [ids, mask, logprobs, subtreeEnd, offsets, parents, lengths] = [
    "input_ids",
    "loss_mask",
    "logprobs",
    "subtree_end",
    "node_offsets",
    "node_parents",
    "node_lengths",
  ].map((name) => column(batch, name));
  const rows: number[][] = [];
  return (parents ?? []).map((parent, node) => {
    const [start = 0, end = 0] = offsets?.slice(node, node + 2) ?? [];
    const seen = range(0, end).filter((at) => end - 1 < (subtreeEnd?.[at] ?? 0));
    const places = end > start ? seen : (rows[parent] ?? []).slice(0, lengths?.[node]);
    rows.push(places);
    return tokenRow(places, start, ids ?? [], mask ?? [], logprobs ?? []);
  });
}
