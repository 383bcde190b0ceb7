import { expect, it } from "vitest";
import { findTensor, readAll, readElementBytes, readRange } from "../../src/batch-file/tensor-ranges.js";
import { openTensors, tensor } from "./tensors.js";

const file = openTensors({
  first: tensor("U8", [0, 0, 0]),
  ints: tensor("I32", [1, 2, 3, 4], [2, 2]),
  floats: tensor("F32", [0.5, 1.5, 2.5]),
  flags: tensor("BOOL", [1, 0, 1]),
  longs: tensor("I64", [1, 2]),
});

it.each([
  ["ints", "I32", Int32Array.of(1, 2, 3, 4)],
  ["floats", "F32", Float32Array.of(0.5, 1.5, 2.5)],
  ["flags", "BOOL", Uint8Array.of(1, 0, 1)],
] as const)("reads elements of %s, and none outside of the tensor", async (name, dtype, values) => {
  const found = findTensor(file, name, dtype);
  if (!found) throw new Error(`There is no ${name}.`);
  for (const [from, to] of [
    [0, 9],
    [-2, 2],
    [1, 3],
    [2, 2],
    [2, 1],
    [7, 9],
  ] as const) {
    expect(await readRange(file, found, from, to)).toEqual(values.slice(Math.max(0, from), to));
  }
  const bytes = await readElementBytes(file, found, 1, 2);
  expect(bytes.buffer.byteLength).toBe(values.BYTES_PER_ELEMENT);
});

it("finds a tensor of one type, and reads one of one dimension", async () => {
  expect(findTensor(file, "ints", "F32")).toBeUndefined();
  expect(findTensor(file, "other", "I32")).toBeUndefined();
  expect(await readAll(file, "floats", "F32")).toEqual(Float32Array.of(0.5, 1.5, 2.5));
  expect(await readAll(file, "ints", "I32")).toBeUndefined();
  expect(await readAll(file, "floats", "I32")).toBeUndefined();
  await file[Symbol.asyncDispose]();
});
