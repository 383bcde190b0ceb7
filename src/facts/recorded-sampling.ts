import { z } from "zod";
import { bool, type Fact, type FactValues, f32, i32, label, missingValues } from "./fact.js";
import { type ParameterName, type ParameterValues, PENALTIES, TRUNCATION } from "./sampling.js";

/** The contents of recorded log probabilities; src/native/contract/generation.ts describes each. */
export const LOGPROB_CONTENTS = ["temperature", "truncated", "raw", "unknown"] as const;

/** The facts of a call's sampling, in the order in which it is stored. */
export const SAMPLING_FACTS = {
  /** Divisor of the logits that reproduces the recorded log probabilities; see {@link recordedTemperature}. */
  temperature: {
    json: "temperature",
    schema: z.number().gt(0),
    missing: 1,
    column: f32(4, "Divisor of the logits that reproduces `logprobs`; 1 if sampling was greedy."),
  },
  /** The temperature that tokens were drawn with; 0 when greedy. */
  samplingTemperature: {
    json: "sampling_temperature",
    schema: z.number().min(0),
    missing: 1,
    column: f32(5, "Temperature that the tokens were drawn with; 0: greedy."),
  },
  greedy: {
    json: "greedy",
    schema: z.boolean(),
    missing: false,
    column: bool(14, "The most probable token was taken at every step."),
  },
  ...TRUNCATION,
  /** Its columns are in call-facts.ts, because it does not fit into one. */
  seed: { json: "seed", schema: z.int().optional() },
  ...PENALTIES,
  /** True if the request changed the logits of tokens. */
  logitBias: {
    json: "logit_bias",
    schema: z.boolean(),
    missing: false,
    column: bool(23, "The request changed the logits of tokens."),
  },
  /** Limit of reasoning tokens that the engine enforced; undefined if there was none. */
  thinkingBudget: {
    json: "thinking_budget",
    schema: z.int32().min(0).optional(),
    column: i32(
      26,
      "Limit of reasoning tokens that the engine enforced: at the limit, it forces the end of the reasoning; -1: none.",
      -1,
    ),
  },
  /** Limit of output tokens that was sent to the engine. */
  maxTokens: {
    json: "max_tokens",
    schema: z.int32().min(0),
    missing: 0,
    column: i32(11, "Limit of output tokens that was sent to the engine; 0: not recorded."),
  },
  /** True if a grammar limited the tokens (structured output, enforced tool calls). */
  grammar: {
    json: "grammar",
    schema: z.boolean(),
    missing: false,
    column: bool(15, "A grammar limited what could be sampled (structured output, enforced tool calls)."),
  },
  /** Content of the recorded log probabilities. */
  logprobs: {
    json: "logprob_content",
    schema: z.enum(LOGPROB_CONTENTS),
    missing: "temperature",
    column: label(4, "What the recorded log probabilities include.", LOGPROB_CONTENTS),
  },
  /** True if the configuration replaced a value of the request. */
  overridden: { json: "overridden", schema: z.boolean(), missing: false },
} as const satisfies Record<string, Fact>;

/** How the tokens of an interaction were drawn, and what their recorded log probabilities include. */
export interface RecordedSampling extends FactValues<typeof SAMPLING_FACTS> {}

type SamplingFact = keyof RecordedSampling;

/** A record that lacks some values, such as one that an earlier version stored. */
type KnownSampling = { readonly [Name in SamplingFact]?: RecordedSampling[Name] | undefined };

const ROWS = Object.entries(SAMPLING_FACTS) as readonly (readonly [SamplingFact, Fact])[];

/** The sampling of a call that was recorded without parameters: temperature 1, no truncation, no penalties. */
export const DEFAULT_SAMPLING: RecordedSampling = missingValues(SAMPLING_FACTS);

/** Every record is one of these, so that V8 shares a hidden class between them and keeps the values inside of the object. */
class SamplingRecord {
  [name: string]: unknown;

  constructor(first: KnownSampling, rest: KnownSampling) {
    for (const [name] of ROWS) this[name] = first[name] ?? rest[name];
  }
}

/** Returns the record of a call that an engine sampled with these parameters. */
export function recordSampling(params: ParameterValues, own: Omit<RecordedSampling, ParameterName>): RecordedSampling {
  return new SamplingRecord(own, params) as object as RecordedSampling;
}

/** Completes a record with default values. */
export function completeRecord(known: KnownSampling): RecordedSampling {
  return new SamplingRecord(known, DEFAULT_SAMPLING) as object as RecordedSampling;
}

/** Returns the divisor of the logits that reproduces log probabilities recorded with this sampling temperature. */
export function recordedTemperature(samplingTemperature: number, logprobs: RecordedSampling["logprobs"]): number {
  return samplingTemperature === 0 || logprobs === "raw" ? 1 : samplingTemperature;
}

/** Returns the values under their JSON names. Absent values are those of {@link DEFAULT_SAMPLING}, and null if they have none. */
export function samplingJson(sampling: KnownSampling): Readonly<Record<string, number | boolean | string | null>> {
  return Object.fromEntries(
    ROWS.map(([name, { json, missing }]) => [json, sampling[name] ?? missing ?? null] as const),
  );
}

const jsonType = (missing: Fact["missing"]) => (typeof missing === "boolean" ? z.boolean() : z.number());

/** Reads what {@link samplingJson} returns. Older proxies send some of the values only. */
export const samplingFromJson = z
  .object({
    ...Object.fromEntries(ROWS.map(([, { json, missing }]) => [json, jsonType(missing).nullish()])),
    // An unknown kind of a newer proxy must not fail the export.
    [SAMPLING_FACTS.logprobs.json]: SAMPLING_FACTS.logprobs.schema.catch("unknown"),
  })
  .transform((wire: Readonly<Record<string, unknown>>) =>
    completeRecord(Object.fromEntries(ROWS.map(([name, { json }]) => [name, wire[json] ?? undefined]))),
  );

/**
 * How tokens were drawn, as a trainer bridge describes it. The defaults are temperature 1 and everything else off.
 *
 * If only one of the two temperatures is given, the other is derived from it. `greedy` is derived from them as well.
 */
export const samplingInputSchema: z.ZodType<KnownSampling> = z
  .strictObject(Object.fromEntries(ROWS.map(([name, { schema, recorded }]) => [name, (recorded ?? schema).optional()])))
  .superRefine(({ greedy, samplingTemperature }: KnownSampling, context) => {
    if (greedy === undefined || samplingTemperature === undefined || greedy === (samplingTemperature === 0)) return;
    const message = `must be ${samplingTemperature === 0}, because samplingTemperature is ${samplingTemperature}`;
    context.addIssue({ code: "custom", path: ["greedy"], message });
  });

/**
 * Returns the sampling to record, with values derived for the fields that the input leaves out.
 *
 * @param outputTokens number of sampled tokens; recorded as `maxTokens` if the input has none
 */
export function fillRecordedSampling(input: KnownSampling, outputTokens: number): RecordedSampling {
  const { temperature, greedy, logprobs = DEFAULT_SAMPLING.logprobs, maxTokens = outputTokens } = input;
  const samplingTemperature = input.samplingTemperature ?? (greedy ? 0 : (temperature ?? 1));
  return completeRecord({
    ...input,
    temperature: temperature ?? recordedTemperature(samplingTemperature, logprobs),
    samplingTemperature,
    greedy: samplingTemperature === 0,
    maxTokens,
  });
}
