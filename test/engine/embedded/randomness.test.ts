import { describe, expect, it } from "vitest";
import { randomSeed, stepSeed, stepUniform } from "../../../src/engine/embedded/randomness.js";

describe("the random number of a step", () => {
  it("depends only on seed and step", () => {
    expect(stepSeed(5, 9)).toBe(stepSeed(5, 9));
    expect(stepUniform(5, 9)).toBe(stepUniform(5, 9));
  });

  it("differs between neighbouring seeds and steps", () => {
    const seeds = [0, 1, 2, -1, 2 ** 31, 2 ** 40, 2 ** 40 + 2 ** 32];
    const seen = new Set(seeds.flatMap((seed) => Array.from({ length: 500 }, (_, step) => stepSeed(seed, step))));
    expect(seen.size).toBeGreaterThan(seeds.length * 500 - 3);
  });

  it("is below 2^31 as a seed for llama.cpp", () => {
    for (let step = 0; step < 2000; step++) {
      const seed = stepSeed(123, step);
      expect(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31).toBe(true);
    }
  });

  it("is uniform over seeds and over steps", () => {
    for (const draw of [(i: number) => stepUniform(i, 0), (i: number) => stepUniform(42, i)]) {
      const bins = Array.from({ length: 20_000 }, (_, i) => Math.floor(draw(i) * 20));
      const counts = Array.from({ length: 20 }, (_, bin) => bins.filter((other) => other === bin).length);
      const chiSquare = counts.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
      expect(chiSquare).toBeLessThan(50);
    }
  });

  it("differs between calls without a seed", () => {
    expect(new Set(Array.from({ length: 100 }, randomSeed)).size).toBe(100);
  });
});
