import { z } from "zod";
import { PARAMETERS } from "../facts/sampling.js";
import { engineSampling, readParameters } from "./engine-sampling.js";
import { stopString, stopStrings } from "./fields.js";
import { DEFAULT_REQUEST, type RequestSampling } from "./request-sampling.js";

/** The sampling fields that chat completions, completions and vLLM's generate share. */
export const openAiSampling = {
  temperature: z.number().min(0).max(2).optional(),
  top_p: PARAMETERS.topP.schema.optional(),
  top_k: z.int32().min(-1).optional().describe("0 or -1 turns it off."),
  stop: z.union([stopString, stopStrings]).optional(),
  frequency_penalty: PARAMETERS.frequencyPenalty.schema.optional(),
  presence_penalty: PARAMETERS.presencePenalty.schema.optional(),
};

const allFields = z.object({ ...openAiSampling, ...engineSampling });

/** Returns the parameters of these fields and of `engineSampling`, with OpenAI's defaults. */
export function readOpenAiSampling(request: z.output<typeof allFields>): RequestSampling {
  return {
    ...DEFAULT_REQUEST,
    ...readParameters(request),
    temperature: request.temperature ?? 1,
    topK: Math.max(request.top_k ?? 0, 0),
    stop: [request.stop ?? []].flat(),
    seed: request.seed,
  };
}
