import { expect, it } from "vitest";
import { BatchChannels } from "../../src/batch-file/batch-channels.js";
import { openTensors, tensor } from "./tensors.js";

const LISTED = [
  { name: "half", of: "sequence", mask: "half_mask" },
  { name: "kinds", of: "output", mask: "flags_mask" },
  { name: "flags", of: "output", mask: "flags_mask" },
  { name: "pairs", of: "output", mask: "half_mask", token_ids: [7, 9] },
  { name: "kept", of: "output", offsets: "kept_offsets" },
  { name: "kept_pairs", of: "output", offsets: "kept_offsets" },
  { name: "absent", of: "output", mask: "half_mask" },
  { name: "unmasked", of: "output" },
  { name: "long", of: "output", mask: "half_mask" },
  { name: "badly_masked", of: "output", mask: "half" },
  { name: "badly_ragged", of: "output", offsets: "half_mask" },
];

/** A batch of two padded rows of three tokens. Some of the channels that it lists have no tensors, or wrong ones. */
const file = openTensors(
  {
    input_ids: tensor("I32", [1, 2, 3, 4, 5, 6], [2, 3]),
    half: tensor("F32", [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], [2, 3]),
    half_mask: tensor("BOOL", [0, 1, 1, 0, 1, 1], [2, 3]),
    kinds: tensor("U16", [1, 2, 3, 4, 5, 600], [2, 3]),
    flags: tensor("BOOL", [1, 0, 1, 0, 1, 0], [2, 3]),
    flags_mask: tensor("BOOL", [1, 1, 1, 0, 0, 1], [2, 3]),
    pairs: tensor("I32", [0, 1, 10, 11, 20, 21, 30, 31, 40, 41, 50, 51], [2, 3, 2]),
    kept: tensor("I32", [100, 101, 102, 103]),
    kept_pairs: tensor("U8", [1, 2, 3, 4, 5, 6, 7, 8], [4, 2]),
    kept_offsets: tensor("I64", [0, 0, 3, 4, 4, 2, 2]),
    unmasked: tensor("F32", [0, 0, 0, 0, 0, 0], [2, 3]),
    long: tensor("I64", [0, 0, 0, 0, 0, 0], [2, 3]),
    badly_masked: tensor("F32", [0, 0, 0, 0, 0, 0], [2, 3]),
    badly_ragged: tensor("F32", [0, 0, 0, 0]),
  },
  { channels: JSON.stringify(LISTED) },
);
const channels = new BatchChannels(file);

function channel(name: string) {
  const found = channels.all.find((each) => each.name === name);
  if (!found) throw new Error(`There is no channel ${name}.`);
  return found;
}

it("lists the channels whose tensors it can read", () => {
  const one = { shape: [], isRagged: false, tokenIds: undefined };
  expect(channels.all).toEqual([
    { ...one, name: "half", of: "sequence", dtype: "F32" },
    { ...one, name: "kinds", of: "output", dtype: "U16" },
    { ...one, name: "flags", of: "output", dtype: "BOOL" },
    { name: "pairs", of: "output", dtype: "I32", shape: [2], isRagged: false, tokenIds: [7, 9] },
    { ...one, name: "kept", of: "output", dtype: "I32", isRagged: true },
    { name: "kept_pairs", of: "output", dtype: "U8", shape: [2], isRagged: true, tokenIds: undefined },
  ]);
  expect(new BatchChannels(openTensors({}, { channels: "[{}]" })).all).toEqual([]);
  expect(new BatchChannels(openTensors({})).all).toEqual([]);
});

it.each([
  ["half", [1.5, 2.5, null, 4.5]],
  ["kinds", [2, 3, null, null]],
  ["flags", [0, 1, null, null]],
  ["pairs", undefined],
  // The offsets of the last token go back, as only those of a damaged file do.
  ["kept", [3, 1, null, null]],
  ["kept_pairs", [3, 1, null, null]],
])("reads one number per token of %s, in several runs", async (name, column) => {
  const runs = [
    { at: 1, count: 2 },
    { at: 3, count: 2 },
  ];
  expect(await channels.readColumn(channel(name), runs)).toEqual(column);
});

it.each([
  ["half", 1, 9, { values: [1.5], total: 1 }],
  ["half", 0, 9, null],
  ["half", 3, 9, null],
  ["kinds", 5, 9, { values: [600], total: 1 }],
  ["pairs", 1, 9, { values: [10, 11], total: 2 }],
  ["pairs", 1, 1, { values: [10], total: 2 }],
  ["pairs", 0, 9, null],
  ["kept", 0, 9, null],
  ["kept", 1, 9, { values: [100, 101, 102], total: 3 }],
  ["kept", 1, 2, { values: [100, 101], total: 3 }],
  ["kept", 2, 9, { values: [103], total: 1 }],
  ["kept", 4, 9, null],
  ["kept_pairs", 2, 9, { values: [7, 8], total: 2 }],
  ["kept_pairs", 1, 3, { values: [1, 2, 3], total: 6 }],
])("reads the items of %s of token %i, at most %i values", async (name, at, limit, items) => {
  expect(await channels.readItems(channel(name), { at, count: 1 }, limit)).toEqual(items);
});

it("has nothing of a channel of another batch, and counts no items outside of the file", async () => {
  const other = { ...channel("half"), name: "other" };
  expect(await channels.readColumn(other, [{ at: 1, count: 1 }])).toBeUndefined();
  expect(await channels.readItems(other, { at: 1, count: 1 }, 9)).toBeNull();
  expect(await channels.readColumn(channel("kept"), [{ at: 5, count: 3 }])).toEqual([null, null, null]);
});
