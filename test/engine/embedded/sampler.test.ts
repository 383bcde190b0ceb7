import type { ControlledEvaluateIndexOutput, Token } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { stepSeed, stepUniform } from "../../../src/engine/embedded/randomness.js";
import { GREEDY_BELOW, Sampler } from "../../../src/engine/embedded/sampler.js";
import type { SamplingParams } from "../../../src/engine/engine.js";
import { PLAIN } from "../generate-call.js";

/** The requests to llama.cpp, and how its answers are read. sampler.slow.test.ts checks the results of the real one. */

const VOCABULARY = 100;
const SEED = 7;
const tokens = (...ids: number[]) => ids as Token[];
const sampler = (sampling: Partial<SamplingParams> = {}) => new Sampler({ ...PLAIN, ...sampling }, SEED, VOCABULARY);
const request = (sampling: Partial<SamplingParams>, output: readonly Token[] = []) => sampler(sampling).request(output);

/** Returns an answer with these probabilities, by id and largest first. The logits have any offset. */
function answer(
  probabilities: Readonly<Record<number, number>>,
  rest: Partial<ControlledEvaluateIndexOutput["next"]> = {},
) {
  const entries = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
  const largest = entries[0]?.[1] ?? 1;
  const logits = new Map(entries.map(([id, probability]) => [Number(id) as Token, 3 + Math.log(probability)]));
  return { next: { logits, totalLogitWeight: 1 / largest, ...rest } };
}

const rounded = (values: readonly number[]) => values.map((value) => Math.round(Math.exp(value) * 1e6) / 1e6);

describe("the request for a token", () => {
  it("leaves filters to this process, and has a seed for each step", () => {
    expect(request({ temperature: 0.7 }, tokens(4, 5))).toEqual({
      token: true,
      confidence: true,
      options: { temperature: 0.7, topK: 0, topP: 1, minP: 0, seed: stepSeed(SEED, 2) },
    });
  });

  it.each([
    [0, 0],
    [GREEDY_BELOW / 2, 0],
    [GREEDY_BELOW, GREEDY_BELOW],
  ])("with temperature %d has temperature %d", (temperature, sent) => {
    expect(request({ temperature }).options?.temperature).toBe(sent);
  });

  it.each<[Partial<SamplingParams>, number | undefined]>([
    [{}, undefined],
    [{ topLogprobs: 3 }, 3],
    [{ topK: 5 }, 5],
    [{ topK: 5, topLogprobs: 8 }, 8],
    [{ topK: 500 }, VOCABULARY],
    [{ topLogprobs: 500 }, VOCABULARY],
    [{ topP: 0.9 }, VOCABULARY],
    [{ minP: 0.1 }, VOCABULARY],
    [{ topK: 5, topP: 0.9 }, 5],
    [{ temperature: 0, topK: 5, topP: 0.5, minP: 0.5 }, undefined],
    [{ temperature: 0, topK: 5, topLogprobs: 2 }, 2],
    [{ logitBias: [[4, 1]] }, VOCABULARY],
    [{ stopTokenIds: [9] }, undefined],
  ])("with %o includes this many candidates: %s", (sampling, includeTop) => {
    const { logits, totalLogitWeight } = request(sampling);
    expect(logits).toEqual(includeTop === undefined ? undefined : { filter: { tokens: [], includeTop } });
    expect(totalLogitWeight).toBe(includeTop === undefined ? undefined : true);
  });

  it("includes all candidates while stop tokens are masked", () => {
    const sampling = { minTokens: 2, stopTokenIds: [9] };
    const needed = [[], tokens(1), tokens(1, 2)].map((output) => request(sampling, output).logits !== undefined);
    expect(needed).toEqual([true, true, false]);
  });

  it.each([{ frequencyPenalty: 0.5 }, { presencePenalty: -0.5 }, { repetitionPenalty: 1.2 }])(
    "has the penalties on the output so far: %o",
    (sampling) => {
      const output = tokens(4, 5, 4);
      const { repeatPenalty } = request(sampling, output).options ?? {};
      expect(repeatPenalty).toEqual({
        punishTokens: [4, 5, 4],
        maxPunishTokens: 3,
        penalty: 1,
        frequencyPenalty: 0,
        presencePenalty: 0,
        ...("repetitionPenalty" in sampling ? { penalty: 1.2 } : sampling),
      });
      output.push(...tokens(6));
      expect(Object(repeatPenalty).punishTokens).toHaveLength(3);
      expect(request(sampling).options).not.toHaveProperty("repeatPenalty");
    },
  );
});

describe("a sampled token", () => {
  it("is llama.cpp's, with the probability that it had, if nothing is filtered", () => {
    const next = { token: 12 as Token, confidence: 0.25 };
    for (const temperature of [0, 1])
      expect(sampler({ temperature }).read({ next }, 0)).toEqual({
        id: 12,
        logprob: Math.log(0.25),
        top: { ids: [], logprobs: [] },
      });
  });

  it("has the requested number of alternatives, with their log probabilities over the whole vocabulary", () => {
    const { top, id } = sampler({ topLogprobs: 2 }).read(
      answer({ 4: 0.5, 5: 0.2, 6: 0.1 }, { token: 9 as Token, confidence: 0.2 }),
      0,
    );
    expect([id, top.ids, rounded(top.logprobs)]).toEqual([9, [4, 5], [0.5, 0.2]]);
  });

  it("is drawn here if candidates are filtered, with its log probability over the whole vocabulary", () => {
    const shares = { 4: 0.4, 5: 0.3, 6: 0.2, 7: 0.1 };
    const ids = [4, 5, 6, 7];
    const drawn = Array.from({ length: 30 }, (_, step) => {
      const { id, logprob } = sampler({ topK: 3 }).read(answer(shares), step);
      const uniform = stepUniform(SEED, step) * 0.9;
      const expected = uniform < 0.4 ? 0 : uniform < 0.7 ? 1 : 2;
      expect([id, rounded([logprob])]).toEqual([ids[expected], [[0.4, 0.3, 0.2][expected]]]);
      return id;
    });
    expect(new Set(drawn)).toEqual(new Set([4, 5, 6]));
  });

  it.each([{ topP: 0.3 }, { minP: 0.9 }, { topK: 1 }])(
    "is the likeliest one if the others are filtered: %o",
    (sampling) => {
      const drawn = Array.from(
        { length: 20 },
        (_, step) => sampler(sampling).read(answer({ 4: 0.4, 5: 0.3, 6: 0.3 }), step).id,
      );
      expect(new Set(drawn)).toEqual(new Set([4]));
    },
  );

  it("follows biases, which are divided by the temperature like the logits", () => {
    const sampling = { logitBias: [[5, Math.log(4)]] as const, temperature: 2 };
    // A bias of log 2 after the division: 0.5 and 2 · 0.5.
    const read = Array.from({ length: 40 }, (_, step) => sampler(sampling).read(answer({ 4: 0.5, 5: 0.5 }), step));
    for (const { id, logprob } of read) expect(rounded([logprob])).toEqual([id === 5 ? 0.666667 : 0.333333]);
    expect(new Set(read.map(({ id }) => id))).toEqual(new Set([4, 5]));
  });

  it("is the likeliest one after biases if sampling is greedy", () => {
    const sampling = { logitBias: [[5, Math.log(4)]] as const, temperature: 0, topLogprobs: 2 };
    for (let step = 0; step < 20; step++) {
      const { id, logprob, top } = sampler(sampling).read(answer({ 4: 0.6, 5: 0.4 }), step);
      expect([id, rounded([logprob]), top.ids]).toEqual([5, [0.727273], [5, 4]]);
    }
  });

  it("is no stop token before the least number of tokens", () => {
    const sampling = { stopTokenIds: [4], minTokens: 2, topK: 1 };
    const read = [0, 1, 2].map((step) => sampler(sampling).read(answer({ 4: 0.6, 5: 0.4 }), step).id);
    expect(read).toEqual([5, 5, 4]);
  });

  it.each<[Partial<SamplingParams>, ControlledEvaluateIndexOutput["next"]]>([
    [{}, {}],
    [{}, { token: 4 as Token }],
    [{}, { confidence: 0.5 }],
    [{ topK: 3 }, { token: 4 as Token, confidence: 0.5 }],
    [{ topK: 3 }, { logits: new Map() }],
  ])("is required: %o, %o", (sampling, next) => {
    expect(() => sampler(sampling).read({ next }, 0)).toThrow("llama.cpp returned no token");
  });

  it("has normalized log probabilities without a sum of weights", () => {
    const logits = new Map([[4 as Token, 2]]);
    expect(sampler({ topK: 1 }).read({ next: { logits } }, 0)).toMatchObject({ id: 4, logprob: 0 });
  });
});
