import { describe, expect, it } from "vitest";
import {
  interleaveHeads,
  separateHeads,
} from "../../../../../src/engine/embedded/weights/hugging-face/rotary-order.js";

describe("interleaveHeads", () => {
  it("puts the two rows that are rotated together next to each other, in each head", () => {
    // Two heads of six rows of two bytes.
    const rows = Uint8Array.from({ length: 24 }, (_, index) => index);
    const order = [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11];
    expect(Array.from(interleaveHeads(rows, 2, 6))).toEqual(order.flatMap((row) => [2 * row, 2 * row + 1]));
  });

  it("is undone by separateHeads", () => {
    const rows = Uint8Array.from({ length: 192 }, (_, index) => index);
    expect(separateHeads(interleaveHeads(rows, 3, 16), 3, 16)).toEqual(rows);
    expect(interleaveHeads(separateHeads(rows, 4, 4), 4, 4)).toEqual(rows);
  });
});
