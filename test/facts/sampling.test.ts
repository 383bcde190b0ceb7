import { describe, expect, it } from "vitest";
import {
  DEFAULT_SAMPLING,
  fillRecordedSampling,
  recordedTemperature,
  recordSampling,
  samplingInputSchema,
  samplingJson,
} from "../../src/facts/recorded-sampling.js";
import { isTruncated, PENALTIES, PLAIN_SAMPLING } from "../../src/facts/sampling.js";
import {
  dropUnfixed,
  FIXABLE,
  fixedValues,
  OVERRIDE_NAMES,
  type SamplingOverrideFields,
  toSamplingOverride,
} from "../../src/facts/sampling-override.js";

/** The values at the ends of the range of each parameter, and some outside of it. */
const RANGES: Readonly<
  Record<keyof typeof FIXABLE, readonly [accepted: readonly unknown[], refused: readonly unknown[]]>
> = {
  temperature: [
    [0, 2],
    [-0.1, 2.1],
  ],
  top_p: [
    [0.01, 1],
    [0, 1.1],
  ],
  top_k: [
    [-1, 2 ** 31 - 1],
    [-2, 0.5],
  ],
  min_p: [
    [0, 1],
    [-0.1, 1.1],
  ],
  frequency_penalty: [
    [-2, 2],
    [-2.1, 2.1],
  ],
  presence_penalty: [
    [-2, 2],
    [-2.1, 2.1],
  ],
  repetition_penalty: [
    [0.01, 2],
    [0, 2.1],
  ],
  min_tokens: [
    [0, 2 ** 31 - 1],
    [-1, 0.5],
  ],
  ignore_eos: [
    [true, false],
    [1, "true"],
  ],
  seed: [
    [-5, 2 ** 52],
    [0.5, "1"],
  ],
  max_tokens: [
    [1, 2 ** 31 - 1],
    [0, 1.5],
  ],
};

describe("fixed sampling parameters", () => {
  it.each(Object.entries(RANGES))("accept a %s within the range of requests", (name, [accepted, refused]) => {
    const isAccepted = (value: unknown) => fixedValues.safeParse({ [name]: value }).success;
    for (const value of [...accepted, null, undefined]) expect([value, isAccepted(value)]).toEqual([value, true]);
    for (const value of refused) expect([value, isAccepted(value)]).toEqual([value, false]);
  });

  it("are all of these, each with its meaning", () => {
    expect(Object.keys(FIXABLE).toSorted()).toEqual(Object.keys(RANGES).toSorted());
    expect(fixedValues.safeParse({ best_of: 2 }).success).toBe(false);
    for (const { meaning } of Object.values(FIXABLE)) expect(meaning).toMatch(/of every call.*\.$/);
    expect(FIXABLE.top_p.meaning).toBe("`top_p` of every call; 1 is off.");
    expect(FIXABLE.ignore_eos.meaning).toBe("`ignore_eos` of every call.");
  });

  const values = { temperature: 0.5, top_k: -1, min_p: null, seed: undefined, max_tokens: 7, ignore_eos: false };

  it("are those that are not left to the request", () => {
    expect(dropUnfixed(values)).toEqual({ temperature: 0.5, top_k: -1, max_tokens: 7, ignore_eos: false });
    expect(Object.keys(dropUnfixed(values) ?? {})).toHaveLength(4);
    for (const none of [undefined, {}, { seed: null, top_p: undefined }]) expect(dropUnfixed(none)).toBeUndefined();
  });

  it("have the names of a request's parameters, and -1 turns top-k off", () => {
    const override = toSamplingOverride(values);
    expect(override).toEqual({ temperature: 0.5, topK: 0, maxTokens: 7, ignoreEos: false });
    expect(Object.keys(override ?? {})).toHaveLength(4);
    expect(toSamplingOverride({ top_k: 5, max_tokens: 1, temperature: 0 })).toEqual({
      topK: 5,
      maxTokens: 1,
      temperature: 0,
    });
    for (const none of [undefined, {}, { seed: null, top_p: undefined }])
      expect(toSamplingOverride(none)).toBeUndefined();
  });

  it("can be any of those in the configuration", () => {
    const every: SamplingOverrideFields = Object.fromEntries(OVERRIDE_NAMES.map(([, name], i) => [name, i + 1]));
    expect(Object.keys(every).toSorted()).toEqual(Object.keys(RANGES).toSorted());
    const override = toSamplingOverride(every);
    expect(override).toEqual(Object.fromEntries(OVERRIDE_NAMES.map(([field], i) => [field, i + 1])));
  });
});

it.each([
  [{}, false],
  [{ topK: 1 }, true],
  [{ topP: 0.9 }, true],
  [{ minP: 0.1 }, true],
  [{ topK: 1, topP: 0.9, minP: 0.1, temperature: 0 }, false],
])("says if %j may exclude tokens: %s", (params, truncated) => {
  expect(isTruncated({ ...PLAIN_SAMPLING, ...params })).toBe(truncated);
});

describe("recorded sampling", () => {
  it("has the parameters of a call, and its own values where both have one", () => {
    const own = {
      temperature: 0.7,
      samplingTemperature: 0.7,
      greedy: false,
      seed: 3,
      logitBias: true,
      thinkingBudget: undefined,
      maxTokens: 5,
      grammar: true,
      logprobs: "raw",
      overridden: true,
    } as const;
    const recorded = recordSampling({ ...PLAIN_SAMPLING, topK: 4 }, own);
    expect(recorded).toEqual({ ...DEFAULT_SAMPLING, ...own, topK: 4 });
    expect(Object.keys(recorded)).toEqual(Object.keys(DEFAULT_SAMPLING));
    expect(samplingJson({ topK: 4 })).toMatchObject({ top_k: 4, top_p: 1, seed: null, greedy: false });
  });

  it.each([
    [0, "temperature", 1],
    [0.5, "temperature", 0.5],
    [0.5, "raw", 1],
    [0.5, "truncated", 0.5],
  ] as const)("has for temperature %d and %s log probabilities the divisor %d", (temperature, logprobs, divisor) => {
    expect(recordedTemperature(temperature, logprobs)).toBe(divisor);
  });

  it.each([
    [{}, { temperature: 1, samplingTemperature: 1, greedy: false, maxTokens: 9, logprobs: "temperature" }],
    [{ temperature: 0.5 }, { temperature: 0.5, samplingTemperature: 0.5, greedy: false }],
    [{ samplingTemperature: 0.5 }, { temperature: 0.5, samplingTemperature: 0.5 }],
    [
      { samplingTemperature: 0.5, logprobs: "raw" },
      { temperature: 1, samplingTemperature: 0.5, logprobs: "raw" },
    ],
    [
      { samplingTemperature: 0.5, temperature: 2 },
      { temperature: 2, samplingTemperature: 0.5 },
    ],
    [{ greedy: true }, { temperature: 1, samplingTemperature: 0, greedy: true }],
    [
      { greedy: true, temperature: 0.5 },
      { temperature: 0.5, samplingTemperature: 0, greedy: true },
    ],
    [{ greedy: false }, { samplingTemperature: 1, greedy: false }],
    [{ samplingTemperature: 0 }, { temperature: 1, greedy: true }],
    [{ maxTokens: 3 }, { maxTokens: 3 }],
  ] as const)("fills what the input %j leaves out", (input, recorded) => {
    expect(fillRecordedSampling(input, 9)).toMatchObject(recorded);
  });

  it.each([
    [{}, true],
    [{ greedy: true }, true],
    [{ greedy: true, samplingTemperature: 0 }, true],
    [{ greedy: true, samplingTemperature: 1 }, false],
    [{ greedy: false, samplingTemperature: 0 }, false],
    [{ greedy: false, samplingTemperature: 1 }, true],
    [{ temperature: 0 }, false],
    [{ temperature: 0.1 }, true],
    [{ samplingTemperature: -1 }, false],
    [{ frequencyPenalty: 5, presencePenalty: -5, repetitionPenalty: 3 }, true],
    [{ repetitionPenalty: 0 }, false],
    [{ thinkingBudget: 0, maxTokens: 0 }, true],
    [{ thinkingBudget: -1 }, false],
    [{ maxTokens: -1 }, false],
    [{ grammar: 1 }, false],
    [{ logprobs: "other" }, false],
    [{ best: 1 }, false],
  ])("of a trainer may be %j: %s", (input, accepted) => {
    expect(samplingInputSchema.safeParse(input).success).toBe(accepted);
  });

  it("names the field that contradicts the temperature", () => {
    const { error } = samplingInputSchema.safeParse({ greedy: true, samplingTemperature: 1 });
    expect(error?.issues).toMatchObject([
      { path: ["greedy"], message: "must be false, because samplingTemperature is 1" },
    ]);
  });
});

it("describes the parameters whose range does not say what they mean", () => {
  const described = [PENALTIES.repetitionPenalty, PENALTIES.minTokens, PENALTIES.ignoreEos];
  for (const { schema } of described) expect(schema.description).toMatch(/\.$/);
});
