import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../src/engine/embedded/embedded-engine.js";
import type { Engine, SamplingParams } from "../../../src/engine/engine.js";
import { logSoftmax, type Scorer, startScorer } from "../../helpers/embedded-scorer.js";
import { makeCall, makePrompt } from "../generate-call.js";

/** Evaluating tokens together or one by one gives results that differ in the last bits. */
const TOLERANCE = 2e-3;

let engine: Engine;
let scorer: Scorer;

beforeAll(async () => {
  engine = await createEmbeddedEngine({ contextSize: 2048, sequences: 2 });
  scorer = await startScorer({ contextSize: 2048 });
});
afterAll(() => Promise.all([engine.close(), scorer.close()]));

async function sample(sampling: Partial<SamplingParams>, prompt = makePrompt(30)) {
  const call = makeCall(prompt, { maxTokens: 120, seed: 11, ...sampling });
  const result = await engine.generate(call);
  return { ...result, prompt, ids: call.generation.ids(), logprobs: call.generation.logprobs(), call };
}

/** Returns the model's own log_softmax rows for the sampled sequence. */
async function scoreRows({ prompt, ids }: Awaited<ReturnType<typeof sample>>, temperature: number) {
  return (await scorer.logits(prompt, ids)).map((row) => logSoftmax(row, temperature));
}

function greatestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return Math.max(...Array.from(a, (value, index) => Math.abs(value - (b[index] ?? Number.NaN))));
}

describe("recorded log probabilities", () => {
  const cases: Record<string, Partial<SamplingParams>> = {
    "temperature 1": {},
    "a low temperature": { temperature: 0.6 },
    "a high temperature": { temperature: 1.4 },
    "greedy sampling": { temperature: 0 },
    "top-p": { temperature: 0.8, topP: 0.7 },
    "top-k": { temperature: 1.2, topK: 7 },
    "min-p": { minP: 0.2 },
    "all filters": { temperature: 0.9, topP: 0.9, topK: 40, minP: 0.05 },
    "top-p with alternatives": { topP: 0.8, topLogprobs: 3 },
  };
  it.each(Object.entries(cases))("are taken over the whole vocabulary, with %s", async (_, sampling) => {
    const sampled = await sample(sampling);
    expect(sampled.ids).toHaveLength(120);
    const scored = await scorer.scoreTokens(sampled.prompt, sampled.ids, sampling.temperature ?? 1);
    expect(greatestDifference(sampled.logprobs, scored)).toBeLessThan(TOLERANCE);
  });

  it.each([
    { frequencyPenalty: 0.9, presencePenalty: 0 },
    { frequencyPenalty: 0, presencePenalty: 1.5 },
    { frequencyPenalty: -0.5, presencePenalty: 0.4, temperature: 0.7 },
    { frequencyPenalty: 0.6, presencePenalty: 0.6, topP: 0.8, temperature: 1.3 },
    { frequencyPenalty: 1.1, presencePenalty: 0.2, temperature: 0 },
  ])("include penalties on the earlier output: %o", async (sampling) => {
    const sampled = await sample(sampling);
    const logits = await scorer.logits(sampled.prompt, sampled.ids);
    const expected = logits.map((row, step) => {
      const before = sampled.ids.slice(0, step);
      for (const id of new Set(before)) {
        const count = before.filter((other) => other === id).length;
        row[id] = (row[id] ?? 0) - count * sampling.frequencyPenalty - sampling.presencePenalty;
      }
      return logSoftmax(row, sampling.temperature || 1)[sampled.ids[step] ?? -1] ?? Number.NaN;
    });
    expect(greatestDifference(sampled.logprobs, expected)).toBeLessThan(TOLERANCE);
  });

  it.each([
    { repetitionPenalty: 1.4 },
    { repetitionPenalty: 0.8, temperature: 0 },
    { repetitionPenalty: 1.3, frequencyPenalty: 0.4, temperature: 0.8, topP: 0.9 },
  ])("include penalties of repetition: %o", async (sampling) => {
    const { frequencyPenalty = 0, temperature = 1 } = { ...sampling } as Partial<SamplingParams>;
    const sampled = await sample(sampling);
    const logits = await scorer.logits(sampled.prompt, sampled.ids);
    const expected = logits.map((row, step) => {
      const before = sampled.ids.slice(0, step);
      for (const id of new Set(before)) {
        const logit = row[id] ?? 0;
        const repeated = logit > 0 ? logit / sampling.repetitionPenalty : logit * sampling.repetitionPenalty;
        row[id] = repeated - before.filter((other) => other === id).length * frequencyPenalty;
      }
      return logSoftmax(row, temperature || 1)[sampled.ids[step] ?? -1] ?? Number.NaN;
    });
    expect(greatestDifference(sampled.logprobs, expected)).toBeLessThan(TOLERANCE);
  });

  it.each([{}, { temperature: 0 }, { temperature: 0.7, topK: 20 }, { topLogprobs: 3, presencePenalty: 0.5 }])(
    "include biases and the mask of stop tokens before the least number of tokens: %o",
    async (sampling) => {
      const { temperature = 1, presencePenalty = 0 } = { ...sampling } as Partial<SamplingParams>;
      const prompt = makePrompt(30);
      const [first = -1] = (await sample({ ...sampling, maxTokens: 1 }, prompt)).ids;
      const logitBias = [
        [260, 3],
        [first, -100],
      ] as const;
      const sampled = await sample(
        { ...sampling, logitBias, minTokens: 40, stopTokenIds: [261, 2], maxTokens: 60 },
        prompt,
      );
      expect(sampled.ids.includes(first)).toBe(false);
      expect(sampled.ids.slice(0, 40).includes(261)).toBe(false);
      expect(sampled.ids.length).toBeGreaterThanOrEqual(40);
      const logits = await scorer.logits(sampled.prompt, sampled.ids);
      const expected = logits.map((row, step) => {
        for (const id of new Set(sampled.ids.slice(0, step))) row[id] = (row[id] ?? 0) - presencePenalty;
        for (const [id, bias] of logitBias) row[id] = (row[id] ?? 0) + bias;
        if (step < 40) for (const id of [261, 2]) row[id] = Number.NEGATIVE_INFINITY;
        return logSoftmax(row, temperature || 1)[sampled.ids[step] ?? -1] ?? Number.NaN;
      });
      expect(greatestDifference(sampled.logprobs, expected)).toBeLessThan(TOLERANCE);
    },
  );

  it("come with the most probable alternatives if requested", async () => {
    for (const sampling of [{ topLogprobs: 5 }, { topLogprobs: 5, topK: 2 }, { topLogprobs: 2, temperature: 0 }]) {
      const sampled = await sample({ ...sampling, maxTokens: 40 });
      const rows = await scoreRows(sampled, 1);
      const top = sampled.call.generation.top();
      const width = sampling.topLogprobs;
      expect(top?.width).toBe(width);
      expect(top?.ids).toHaveLength(40 * width);
      const best = rows.flatMap((row) => Array.from(row.toSorted().reverse().slice(0, width)));
      expect(greatestDifference(top?.logprobs ?? [], best)).toBeLessThan(TOLERANCE);
      const named = Array.from(top?.ids ?? [], (id, index) => rows[Math.floor(index / width)]?.[id] ?? Number.NaN);
      expect(greatestDifference(top?.logprobs ?? [], named)).toBeLessThan(TOLERANCE);
    }
  });
});

describe("sampled tokens", () => {
  it("are the most probable tokens if sampling is greedy", async () => {
    const sampled = await sample({ temperature: 0 });
    for (const [step, row] of (await scoreRows(sampled, 1)).entries()) {
      expect(row[sampled.ids[step] ?? -1]).toBeGreaterThan(Math.max(...row) - TOLERANCE);
    }
  });

  it("are among the top-k", async () => {
    const sampled = await sample({ topK: 3 });
    for (const [step, row] of (await scoreRows(sampled, 1)).entries()) {
      const third = row.toSorted().reverse()[2] ?? 0;
      expect(row[sampled.ids[step] ?? -1]).toBeGreaterThan(third - TOLERANCE);
    }
  });

  it("are in the nucleus of the distribution after temperature", async () => {
    const sampled = await sample({ topP: 0.5, temperature: 1.5 });
    for (const [step, row] of (await scoreRows(sampled, 1.5)).entries()) {
      const own = row[sampled.ids[step] ?? -1] ?? 0;
      const before = row.filter((logprob) => logprob > own + TOLERANCE).reduce((sum, lp) => sum + Math.exp(lp), 0);
      expect(before).toBeLessThan(0.5 + TOLERANCE);
    }
  });

  it("are at least min-p times as probable as the most probable token", async () => {
    const sampled = await sample({ minP: 0.3 });
    for (const [step, row] of (await scoreRows(sampled, 1)).entries()) {
      expect(row[sampled.ids[step] ?? -1]).toBeGreaterThan(Math.max(...row) + Math.log(0.3) - TOLERANCE);
    }
  });

  it.each([{}, { minP: 1e-12 }, { frequencyPenalty: 0.5 }])("follow the model's distribution: %o", async (sampling) => {
    const prompt = makePrompt(12, 3);
    const draws = 600;
    const counts = new Map<number, number>();
    for (let seed = 0; seed < draws; seed++) {
      const [id = -1] = (await sample({ ...sampling, seed, maxTokens: 1 }, prompt)).ids;
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const [row = new Float64Array()] = (await scorer.logits(prompt, [0])).map((logits) => logSoftmax(logits, 1));
    for (const [id, logprob] of row.entries()) {
      const expected = draws * Math.exp(logprob);
      if (expected < 20) continue;
      expect(Math.abs((counts.get(id) ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
  });

  it("repeat with the same seed, and differ with another seed or without one", async () => {
    for (const sampling of [{}, { topP: 0.9 }, { temperature: 0.7, presencePenalty: 0.5 }]) {
      const first = await sample({ ...sampling, seed: 5, maxTokens: 60 });
      expect((await sample({ ...sampling, seed: 5, maxTokens: 60 })).ids).toEqual(first.ids);
      expect((await sample({ ...sampling, seed: 6, maxTokens: 60 })).ids).not.toEqual(first.ids);
    }
    const unseeded = { seed: undefined, maxTokens: 60 };
    expect((await sample(unseeded)).ids).not.toEqual((await sample(unseeded)).ids);
  });
});
