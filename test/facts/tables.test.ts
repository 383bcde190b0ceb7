import { describe, expect, it } from "vitest";
import { CALL_FACTS, FACT_COLUMNS } from "../../src/facts/call-facts.js";
import type { Fact } from "../../src/facts/fact.js";
import {
  completeRecord,
  DEFAULT_SAMPLING,
  SAMPLING_FACTS,
  samplingFromJson,
  samplingJson,
} from "../../src/facts/recorded-sampling.js";
import { PLAIN_SAMPLING } from "../../src/facts/sampling.js";

/** Differs from the default in every value. */
const SAMPLING = completeRecord({
  ...Object.fromEntries(
    Object.entries<Fact>(SAMPLING_FACTS).map(([name, { missing }], i) => [
      name,
      typeof missing === "boolean" ? !missing : i + 2,
    ]),
  ),
  logprobs: "raw",
});

const listSlots = (ofTexts: boolean) =>
  FACT_COLUMNS.filter(({ labels }) => (labels !== undefined) === ofTexts)
    .map(({ slot }) => slot)
    .toSorted((a, b) => a - b);

describe("the tables of facts", () => {
  it.each([false, true])("give each column a slot of its own, from 0 without a gap (texts: %s)", (ofTexts) => {
    const slots = listSlots(ofTexts);
    expect(slots).toEqual(slots.map((_, slot) => slot));
  });

  it("name each column and each field once", () => {
    const columns = FACT_COLUMNS.map(({ name }) => name);
    expect(new Set(columns).size).toBe(columns.length);
    const fields = [...Object.values(CALL_FACTS), ...Object.values(SAMPLING_FACTS)].map(({ json }) => json);
    expect(new Set(fields).size).toBe(fields.length);
  });
});

describe("a call without parameters", () => {
  it("samples from the whole distribution, with temperature 1 and everything else off", () => {
    const off = { topP: 1, topK: 0, minP: 0, frequencyPenalty: 0, presencePenalty: 0, repetitionPenalty: 1 };
    expect(PLAIN_SAMPLING).toMatchObject({ ...off, temperature: 1, minTokens: 0, ignoreEos: false, logitBias: [] });
    expect(PLAIN_SAMPLING).toMatchObject({ stop: [], stopTokenIds: [], seed: undefined, topLogprobs: 0 });
    expect(DEFAULT_SAMPLING).toMatchObject({ ...off, temperature: 1, samplingTemperature: 1, greedy: false });
    expect(DEFAULT_SAMPLING).toMatchObject({ minTokens: 0, ignoreEos: false, logitBias: false, grammar: false });
    expect(DEFAULT_SAMPLING).toMatchObject({ seed: undefined, thinkingBudget: undefined, overridden: false });
    expect(DEFAULT_SAMPLING).toMatchObject({ maxTokens: 0, logprobs: "temperature" });
  });
});

describe("recorded sampling in JSON", () => {
  it("is read as it was written", () => {
    const json = JSON.parse(JSON.stringify(samplingJson(SAMPLING))) as unknown;
    expect(samplingFromJson.parse(json)).toEqual(SAMPLING);
    expect(Object.values(SAMPLING).filter((value, i) => value === Object.values(DEFAULT_SAMPLING)[i])).toEqual([]);
  });

  it("has the defaults for what an older proxy does not send", () => {
    expect(samplingFromJson.parse({ logprob_content: "temperature" })).toEqual(DEFAULT_SAMPLING);
  });

  it("has one shape in memory, in the order in which it is stored", () => {
    expect(Object.keys(completeRecord({ overridden: true }))).toEqual(Object.keys(SAMPLING_FACTS));
    expect(JSON.stringify(completeRecord({}))).toBe(JSON.stringify(DEFAULT_SAMPLING));
  });

  it.each([{ top_p: "1" }, { ignore_eos: 1 }, { seed: true }])("rejects %o", (fields) => {
    expect(samplingFromJson.safeParse({ ...samplingJson(SAMPLING), ...fields }).success).toBe(false);
  });
});
