import { describe, expect, it } from "vitest";
import { BatchRows } from "../../src/batch-file/batch-rows.js";
import { type RowLayout, readLayout } from "../../src/batch-file/row-layout.js";
import { encodeTensors, openTensors, rowsOf, tensor } from "./tensors.js";

/** Opens a layout of rows with these lengths. */
async function openLayout(lengths: readonly number[], tensors: Parameters<typeof encodeTensors>[0]) {
  const file = openTensors(tensors, { rows: rowsOf(lengths) });
  return readLayout(file, new BatchRows(file.header));
}

/** Returns the indices of tokens [from, to) of a row. */
async function indices(layout: RowLayout | undefined, row: number, from = 0, to = 100): Promise<number[]> {
  const runs = (await layout?.runs(row, from, to)) ?? [];
  return runs.flatMap(({ at, count }) => Array.from({ length: count }, (_, i) => at + i));
}

const ids = (...shape: number[]) => ({
  input_ids: tensor(
    "I32",
    Array.from({ length: shape.reduce((a, b) => a * b) }, (_, i) => i),
    shape,
  ),
});

describe("the layout of padded rows", () => {
  it.each([
    ["no mask, so padded on the right", {}, [0, 1, 2]],
    [
      "padding on the right",
      { attention_mask: tensor("BOOL", [1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0], [3, 4]) },
      [0, 1, 2],
    ],
    [
      "padding on the left",
      { attention_mask: tensor("BOOL", [0, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0], [3, 4]) },
      [1, 2, 3],
    ],
  ])("finds the tokens of rows with %s", async (_, mask, first) => {
    const layout = await openLayout([3, 4, 0], { ...ids(3, 4), ...mask });
    expect(await indices(layout, 0)).toEqual(first);
    expect(await indices(layout, 0, 1, 2)).toEqual(first.slice(1, 2));
    expect(await indices(layout, 1)).toEqual([4, 5, 6, 7]);
    expect(await indices(layout, 1, 2, 3)).toEqual([6]);
    for (const row of [2, 3]) expect(await indices(layout, row)).toEqual([]);
    expect([0, 1, 2, 3].map((row) => layout?.length(row))).toEqual([3, 4, 0, 0]);
    expect(layout?.ownStart(1)).toBe(0);
  });

  it("ends a row at its width, whatever the metadata says", async () => {
    const layout = await openLayout([9], ids(1, 4));
    expect(layout?.length(0)).toBe(4);
    expect(await indices(layout, 0)).toEqual([0, 1, 2, 3]);
  });
});

describe("the layout of packed rows", () => {
  it("finds the tokens of rows, and none outside of the file", async () => {
    const layout = await openLayout([2, 3, 9, 4], { ...ids(7), cu_seqlens: tensor("I32", [0, 2, 5, 7]) });
    expect([0, 1, 2, 3, 4].map((row) => layout?.length(row))).toEqual([2, 3, 2, 0, 0]);
    expect(await indices(layout, 0)).toEqual([0, 1]);
    expect(await indices(layout, 1, 1)).toEqual([3, 4]);
    expect(await indices(layout, 1, 0, 2)).toEqual([2, 3]);
    for (const row of [3, 4]) expect(await indices(layout, row)).toEqual([]);
    expect(await layout?.runs(0, 2, 5)).toEqual([]);
    expect(layout?.ownStart(1)).toBe(0);
  });

  it("ends rows at the length of the metadata, and has none if starts go back", async () => {
    const layout = await openLayout([1, 3], { ...ids(7), cu_seqlens: tensor("I32", [0, 4, 2]) });
    expect([0, 1].map((row) => layout?.length(row))).toEqual([1, 0]);
    expect(await indices(layout, 0)).toEqual([0]);
  });
});

describe("the layout of a tree", () => {
  /** Node 1 continues node 0, node 2 branches off inside of node 1, node 3 repeats a part of node 0, node 4 is a root. */
  const tree = {
    ...ids(9),
    node_offsets: tensor("I32", [0, 3, 5, 7, 7, 9]),
    node_parents: tensor("I32", [-1, 0, 1, 0, -1]),
    node_lengths: tensor("I32", [3, 5, 6, 2, 2]),
  };
  const sequences = [
    [0, 1, 2],
    [0, 1, 2, 3, 4],
    [0, 1, 2, 3, 5, 6],
    [0, 1],
    [7, 8],
  ];

  it("finds any part of a node's sequence, from the root on", async () => {
    const layout = await openLayout([3, 5, 6, 2, 2], tree);
    for (const [node, sequence] of sequences.entries()) {
      expect(layout?.length(node)).toBe(sequence.length);
      for (let from = 0; from <= 7; from++)
        for (let to = from; to <= 7; to++)
          expect(await indices(layout, node, from, to)).toEqual(sequence.slice(from, to));
    }
    expect(sequences.map((_, node) => layout?.ownStart(node))).toEqual([0, 3, 4, 2, 0]);
    expect((await layout?.runs(1, 0, 3))?.length).toBe(1);
    expect([layout?.length(5), await indices(layout, 5), await indices(layout, -1)]).toEqual([0, [], []]);
  });

  it("follows no parent that does not come before its child", async () => {
    for (const parents of [
      [0, 1],
      [1, 1],
    ]) {
      const layout = await openLayout([2, 3], {
        ...ids(4),
        node_offsets: tensor("I32", [0, 2, 4]),
        node_parents: tensor("I32", parents),
        node_lengths: tensor("I32", [3, 3]),
      });
      expect(await indices(layout, 0)).toEqual([0, 1]);
      expect(await indices(layout, 1)).toEqual([2, 3]);
    }
  });

  it("has no tokens beyond the file", async () => {
    const layout = await openLayout([2, 3], {
      ...ids(4),
      node_offsets: tensor("I32", [0, 2, 9]),
      node_parents: tensor("I32", [-1]),
      node_lengths: tensor("I32", [2, 2]),
    });
    expect(layout?.ownStart(1)).toBe(0);
    expect(await indices(layout, 1)).toEqual([2, 3]);
  });

  it("leaves out tokens before the file", async () => {
    const layout = await openLayout([2], {
      ...ids(4),
      node_offsets: tensor("I32", [-5, 0]),
      node_parents: tensor("I32", [-1]),
      node_lengths: tensor("I32", [5]),
    });
    expect(await indices(layout, 0)).toEqual([]);
  });

  it.each(["node_offsets", "node_parents", "node_lengths", "input_ids"])("is unknown without %s", async (name) => {
    const { [name as "input_ids"]: _, ...others } = tree;
    expect(await openLayout([3, 5, 6, 2, 2], others)).toBeUndefined();
  });
});
