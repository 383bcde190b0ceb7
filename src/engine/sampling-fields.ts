import type { SamplingParams } from "./engine.js";

/** The sampling parameters that SGLang and vLLM spell alike. All are sent: what is left out is the server's to choose. */
export function sharedSamplingFields(sampling: SamplingParams): Record<string, unknown> {
  return {
    n: 1,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    // Off; older servers refuse 0.
    top_k: sampling.topK === 0 ? -1 : sampling.topK,
    min_p: sampling.minP,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    repetition_penalty: 1,
    stop_token_ids: sampling.stopTokenIds,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
  };
}
