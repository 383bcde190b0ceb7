import { z } from "zod";
import { type RecordedSampling } from "./recorded-sampling.js";
/**
 * How tokens were drawn, as a trainer bridge describes it. The defaults are temperature 1 and everything else off.
 *
 * If only one of the two temperatures is given, the other is derived from it. `greedy` is derived from them as well.
 */
export declare const samplingInputSchema: z.ZodObject<{
    temperature: z.ZodOptional<z.ZodNumber>;
    samplingTemperature: z.ZodOptional<z.ZodNumber>;
    greedy: z.ZodOptional<z.ZodBoolean>;
    topP: z.ZodDefault<z.ZodNumber>;
    topK: z.ZodDefault<z.ZodInt32>;
    minP: z.ZodDefault<z.ZodNumber>;
    seed: z.ZodOptional<z.ZodInt>;
    frequencyPenalty: z.ZodDefault<z.ZodNumber>;
    presencePenalty: z.ZodDefault<z.ZodNumber>;
    repetitionPenalty: z.ZodDefault<z.ZodNumber>;
    minTokens: z.ZodDefault<z.ZodInt32>;
    ignoreEos: z.ZodDefault<z.ZodBoolean>;
    logitBias: z.ZodDefault<z.ZodBoolean>;
    thinkingBudget: z.ZodOptional<z.ZodInt32>;
    maxTokens: z.ZodOptional<z.ZodInt32>;
    grammar: z.ZodDefault<z.ZodBoolean>;
    logprobs: z.ZodDefault<z.ZodEnum<{
        raw: "raw";
        temperature: "temperature";
        truncated: "truncated";
        unknown: "unknown";
    }>>;
    overridden: z.ZodDefault<z.ZodBoolean>;
}, z.core.$strict>;
/**
 * Returns the sampling to record, with values derived for the fields that the input leaves out.
 *
 * @param outputTokens number of sampled tokens; recorded as `maxTokens` if the input has none
 */
export declare function toRecordedSampling({ temperature, samplingTemperature, greedy, maxTokens, seed, thinkingBudget, ...rest }: z.output<typeof samplingInputSchema>, outputTokens: number): RecordedSampling;
