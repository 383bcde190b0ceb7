import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addBiases, countKept, drawCandidate } from "../../../src/engine/embedded/candidates.js";

/** Log probabilities of a distribution, most probable first. */
const distribution = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 }).map((weights) => {
  const sorted = weights.toSorted((a, b) => b - a);
  const total = sorted.reduce((a, b) => a + b);
  return sorted.map((weight) => Math.log(weight / total));
});

describe("countKept", () => {
  it("keeps as many candidates as SGLang's filters", () => {
    const filters = fc.record({
      topK: fc.nat(13),
      topP: fc.double({ min: 0.01, max: 1, noNaN: true }),
      minP: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
    });
    fc.assert(
      fc.property(distribution, filters, (logprobs, { topK, topP, minP }) => {
        const kept = logprobs.filter((logprob, index) => {
          const before = logprobs.slice(0, index).reduce((sum, earlier) => sum + Math.exp(earlier), 0);
          const floor = Math.max(...logprobs) + Math.log(minP);
          return index === 0 || ((topK === 0 || index < topK) && before <= topP && logprob >= floor);
        });
        expect(countKept(logprobs, { topK, topP, minP })).toBe(kept.length);
      }),
    );
  });

  it("keeps all candidates if the filters are off, and always the most probable one", () => {
    const logprobs = [0.5, 0.3, 0.2].map(Math.log);
    expect(countKept(logprobs, { topK: 0, topP: 1, minP: 0 })).toBe(3);
    expect(countKept(logprobs, { topK: 1, topP: 0, minP: 1 })).toBe(1);
  });

  it("compares with the share of the most probable candidate, and with the mass of those before", () => {
    const logprobs = [0.5, 0.3, 0.2].map(Math.log);
    expect(countKept(logprobs, { topK: 0, topP: 1, minP: 0.5 })).toBe(2);
    expect([0.49, 0.51, 0.79, 0.81].map((topP) => countKept(logprobs, { topK: 0, topP, minP: 0 }))).toEqual([
      1, 2, 2, 3,
    ]);
    expect([2, 9].map((topK) => countKept(logprobs, { topK, topP: 1, minP: 0 }))).toEqual([2, 3]);
  });
});

describe("drawCandidate", () => {
  it("maps each candidate to its share of the unit interval", () => {
    const logprobs = [0.5, 0.3, 0.2].map(Math.log);
    expect([0, 0.49, 0.51, 0.79, 0.81, 0.999].map((u) => drawCandidate(logprobs, 3, u))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it("renormalizes over the kept candidates", () => {
    const logprobs = [0.5, 0.3, 0.2].map(Math.log);
    expect([0.62, 0.63].map((u) => drawCandidate(logprobs, 2, u))).toEqual([0, 1]);
  });

  it("returns a valid index in spite of rounding", () => {
    fc.assert(
      fc.property(distribution, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (logprobs, uniform) => {
        const index = drawCandidate(logprobs, logprobs.length, uniform);
        expect(index).toBeGreaterThanOrEqual(0);
        expect(index).toBeLessThan(logprobs.length);
      }),
    );
  });
});

describe("biases", () => {
  const halves = { ids: [5, 6], logprobs: [Math.log(0.5), Math.log(0.5)] };

  it("change the probabilities, and the order", () => {
    const { ids, logprobs } = addBiases(halves, new Map([[6, Math.log(3)]]));
    expect(ids).toEqual([6, 5]);
    expect(logprobs.map(Math.exp)).toEqual([expect.closeTo(0.75), expect.closeTo(0.25)]);
  });

  it("of -Infinity remove a token", () => {
    const { ids, logprobs } = addBiases(halves, new Map([[5, Number.NEGATIVE_INFINITY]]));
    expect(ids).toEqual([6]);
    expect(logprobs).toEqual([0]);
  });

  it("of tokens that are no candidates change nothing", () => {
    expect(addBiases(halves, new Map([[9, 5]])).logprobs.map(Math.exp)).toEqual([
      expect.closeTo(0.5),
      expect.closeTo(0.5),
    ]);
  });
});
