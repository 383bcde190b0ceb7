import { describe, expect, it } from "vitest";
import { areFinite, isFloatType, widen } from "../../../../../src/engine/embedded/weights/hugging-face/float-types.js";

const NOT_FINITE = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];

function widenBits(dtype: "F16" | "BF16", bits: readonly number[]): number[] {
  const bytes = widen(new Uint8Array(Uint16Array.from(bits).buffer), dtype);
  return Array.from(new Float32Array(bytes.buffer));
}

describe("widen", () => {
  it("reads 16-bit floats: normal, subnormal, largest, zeros, infinities and NaN", () => {
    const bits = [0x3c00, 0xc000, 0x3555, 0x0001, 0x03ff, 0x0400, 0x7bff, 0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00];
    const numbers = [1, -2, 0.333251953125, 2 ** -24, 1023 * 2 ** -24, 2 ** -14, 65504, 0, -0];
    expect(widenBits("F16", bits)).toEqual([...numbers, ...NOT_FINITE]);
  });

  it("reads brain floats, which are the upper half of 32-bit floats", () => {
    const bits = [0x3f80, 0xc000, 0x3eab, 0x0001, 0x8000, 0x7f80, 0xff80, 0x7fc0];
    const numbers = [1, -2, 0.333984375, 2 ** -133, -0];
    expect(widenBits("BF16", bits)).toEqual([...numbers, ...NOT_FINITE]);
  });

  it("keeps 32-bit floats", () => {
    const bytes = new Uint8Array(Float32Array.of(0.1, -7).buffer);
    expect(widen(bytes, "F32")).toEqual(bytes);
  });
});

describe("isFloatType", () => {
  it("accepts F32, F16 and BF16 only", () => {
    expect(["F32", "F16", "BF16", "F64", "F8_E4M3", "I8", "toString"].filter(isFloatType)).toEqual([
      "F32",
      "F16",
      "BF16",
    ]);
  });
});

describe("areFinite", () => {
  it("is false if one number is infinite or NaN", () => {
    const [largest, small] = [3.4e38, 1e-40];
    const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);
    expect(areFinite(floats(0, -largest, small), "F32")).toBe(true);
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(areFinite(floats(1, value), "F32")).toBe(false);
    }
    const halves = (...bits: number[]) => new Uint8Array(Uint16Array.from(bits).buffer);
    expect(areFinite(halves(0x7bff, 0x8001), "F16")).toBe(true);
    expect(areFinite(halves(0, 0xfc00), "F16")).toBe(false);
    expect(areFinite(halves(0x7f7f, 0xff7f), "BF16")).toBe(true);
    expect(areFinite(halves(0x7f80, 0), "BF16")).toBe(false);
  });
});
