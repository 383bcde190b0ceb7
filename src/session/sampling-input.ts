import { z } from "zod";
import { type RecordedSampling, recordedTemperature } from "./recorded-sampling.js";

const penalty = z.number().default(0);

/**
 * How tokens were drawn, as a trainer bridge describes it. The defaults are temperature 1 and everything else off.
 *
 * If only one of the two temperatures is given, the other is derived from it. `greedy` is derived from them as well.
 */
export const samplingInputSchema = z
  .strictObject({
    temperature: z.number().gt(0).optional(),
    samplingTemperature: z.number().min(0).optional(),
    greedy: z.boolean().optional(),
    topP: z.number().gt(0).max(1).default(1),
    topK: z.int32().min(0).default(0),
    minP: z.number().min(0).max(1).default(0),
    seed: z.int().optional(),
    frequencyPenalty: penalty,
    presencePenalty: penalty,
    repetitionPenalty: z.number().gt(0).default(1),
    minTokens: z.int32().min(0).default(0),
    ignoreEos: z.boolean().default(false),
    logitBias: z.boolean().default(false),
    thinkingBudget: z.int32().min(0).optional(),
    maxTokens: z.int32().min(0).optional(),
    grammar: z.boolean().default(false),
    logprobs: z.enum(["temperature", "truncated", "raw", "unknown"]).default("temperature"),
    overridden: z.boolean().default(false),
  })
  .superRefine(({ greedy, samplingTemperature }, context) => {
    if (greedy === undefined || samplingTemperature === undefined || greedy === (samplingTemperature === 0)) return;
    const message = `must be ${samplingTemperature === 0}, because samplingTemperature is ${samplingTemperature}`;
    context.addIssue({ code: "custom", path: ["greedy"], message });
  });

/**
 * Returns the sampling to record, with values derived for the fields that the input leaves out.
 *
 * @param outputTokens number of sampled tokens; recorded as `maxTokens` if the input has none
 */
export function fillRecordedSampling(
  {
    temperature,
    samplingTemperature,
    greedy,
    maxTokens,
    seed,
    thinkingBudget,
    ...rest
  }: z.output<typeof samplingInputSchema>,
  outputTokens: number,
): RecordedSampling {
  const drawnWith = samplingTemperature ?? (greedy ? 0 : (temperature ?? 1));
  return {
    ...rest,
    temperature: temperature ?? recordedTemperature(drawnWith, rest.logprobs),
    samplingTemperature: drawnWith,
    greedy: drawnWith === 0,
    maxTokens: maxTokens ?? outputTokens,
    thinkingBudget,
    seed,
  };
}
