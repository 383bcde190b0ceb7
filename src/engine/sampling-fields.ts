import type { ParameterField } from "../facts/sampling.js";
import type { SamplingParams } from "./engine.js";

/** Added to the logit of a token that must not be sampled. Both engines take biases of this size. */
const BAN = -100;

/**
 * Returns the sampling parameters that SGLang and vLLM name alike. All are sent, so no server default applies. Only `logit_bias` may be
 * undefined, and is then not sent.
 */
export function sharedSamplingFields(sampling: SamplingParams): Record<string, unknown> {
  return {
    n: 1,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    // Turns top-k off. Older servers refuse 0.
    top_k: sampling.topK === 0 ? -1 : sampling.topK,
    min_p: sampling.minP,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    repetition_penalty: sampling.repetitionPenalty,
    ignore_eos: sampling.ignoreEos,
    stop_token_ids: sampling.stopTokenIds,
    skip_special_tokens: false,
    spaces_between_special_tokens: false,
    logit_bias: logitBias(sampling),
    // The compiler checks that no parameter is missing. Each engine counts the rest of `min_tokens` itself.
  } satisfies Record<Exclude<ParameterField, "min_tokens">, unknown> & Record<string, unknown>;
}

function logitBias({ logitBias, bannedTokenIds = [] }: SamplingParams): Record<string, number> | undefined {
  if (logitBias.length + bannedTokenIds.length === 0) return undefined;
  return Object.fromEntries([...logitBias, ...bannedTokenIds.map((id) => [id, BAN] as const)]);
}
