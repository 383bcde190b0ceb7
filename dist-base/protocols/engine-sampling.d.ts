import { z } from "zod";
import type { TokenBias } from "./request-sampling.js";
/** Every endpoint accepts these fields. */
export declare const engineSampling: {
    min_p: z.ZodOptional<z.ZodNumber>;
    repetition_penalty: z.ZodOptional<z.ZodNumber>;
    min_tokens: z.ZodOptional<z.ZodInt32>;
    ignore_eos: z.ZodOptional<z.ZodBoolean>;
    logit_bias: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodNumber>, z.ZodTransform<TokenBias[], Record<string, number>>>>;
    stop_token_ids: z.ZodOptional<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<number[], unknown[]>>>;
    seed: z.ZodOptional<z.ZodInt>;
    chat_template_kwargs: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodTransform<Record<string, unknown>, Record<string, unknown>>>>;
};
type EngineSampling = z.output<z.ZodObject<typeof engineSampling>>;
/** Returns the sampling parameters of these fields. */
export declare function readEngineSampling(request: EngineSampling): {
    minP: number;
    repetitionPenalty: number;
    minTokens: number;
    ignoreEos: boolean;
    logitBias: TokenBias[];
    stopTokenIds: number[];
};
export {};
