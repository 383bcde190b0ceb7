import { expect } from "vitest";
import type { SafeTensors } from "./safetensors.js";
import { scoreOf } from "./teacher-server.js";

/** The tensors that tests read from a packed batch of style `individual` with the scores of test teachers. */

export const numbers = ({ tensors }: SafeTensors, name: string): number[] => [...(tensors[name]?.data ?? [])];

/** The metadata of teachers. */
export const teachersOf = ({ metadata }: SafeTensors): unknown => JSON.parse(metadata["teachers"] ?? "null");

/** Returns the rows of a packed batch. */
export function rowsOf(batch: SafeTensors, name: string, width = 1): number[][] {
  const bounds = numbers(batch, "cu_seqlens");
  return bounds.slice(1).map((end, row) => numbers(batch, name).slice((bounds[row] ?? 0) * width, end * width));
}

/** Requires the score of every token but the first of each row. Rows begin with the first token of their sequence. */
export function expectScores(batch: SafeTensors, name = "big"): void {
  for (const [row, ids] of rowsOf(batch, "input_ids").entries()) {
    const expected = ids.map((_, t) => (t === 0 ? 0 : scoreOf(ids, t)));
    expect(rowsOf(batch, `teacher_${name}_logprobs`)[row]).toEqual(expected);
    expect(rowsOf(batch, `teacher_${name}_logprobs_mask`)[row]).toEqual(ids.map((_, t) => (t === 0 ? 0 : 1)));
  }
}
