import type { ControlledEvaluateIndexOutput, ControlledEvaluateInputItem, Token } from "node-llama-cpp";
import type { SamplingParams } from "../engine.js";
import { type Candidates, drawCandidate, keptCandidates } from "./candidates.js";
import { stepSeed, stepUniform } from "./randomness.js";

/** SGLang's limit, below which it samples greedily. */
export const GREEDY_BELOW = 1e-6;

type GenerateNext = NonNullable<Extract<ControlledEvaluateInputItem, unknown[]>[1]["generateNext"]>;

export interface SampledToken {
  readonly id: Token;
  /** log_softmax over the whole vocabulary of the penalized logits / temperature (temperature 1 when greedy). */
  readonly logprob: number;
  /** The most probable tokens on the same scale, most probable first. */
  readonly top: Candidates;
}

/**
 * How the tokens of one call are drawn.
 *
 * llama.cpp draws from the distribution itself wherever nothing is cut off it. Its own top-p and min-p would not do:
 * they look at the distribution before temperature, and leave nothing of the tokens that they cut, so that the
 * probability over the whole vocabulary would be lost. With a filter, llama.cpp hands out the candidates and the sum of
 * all weights instead, and the token is drawn here; that costs a copy of top-k candidates per token, or of the whole
 * vocabulary where top-p or min-p stand without top-k.
 *
 * Frequency and presence penalties are llama.cpp's, applied to the logits first and counted over the output so far, so
 * that recorded log probabilities are those after penalties.
 */
export class Sampler {
  readonly #sampling: SamplingParams;
  readonly #seed: number;
  readonly #vocabSize: number;

  constructor(sampling: SamplingParams, seed: number, vocabSize: number) {
    this.#sampling = sampling;
    this.#seed = seed;
    this.#vocabSize = vocabSize;
  }

  get #greedy(): boolean {
    return this.#sampling.temperature < GREEDY_BELOW;
  }

  get #filters(): boolean {
    const { topK, topP, minP } = this.#sampling;
    return !this.#greedy && (topK > 0 || topP < 1 || minP > 0);
  }

  /** What to ask llama.cpp for at the last token of the input. */
  request(output: readonly Token[]): GenerateNext {
    const includeTop = this.#candidatesNeeded();
    return {
      token: true,
      confidence: true,
      ...(includeTop > 0 ? { logits: { filter: { tokens: [], includeTop } }, totalLogitWeight: true } : {}),
      options: {
        temperature: this.#greedy ? 0 : this.#sampling.temperature,
        topK: 0,
        topP: 1,
        minP: 0,
        seed: stepSeed(this.#seed, output.length),
        ...this.#penalties(output),
      },
    };
  }

  #candidatesNeeded(): number {
    const { topK, topLogprobs } = this.#sampling;
    const filtered = topK > 0 ? topK : this.#vocabSize;
    return Math.min(Math.max(topLogprobs, this.#filters ? filtered : 0), this.#vocabSize);
  }

  #penalties(output: readonly Token[]): GenerateNext["options"] {
    const { frequencyPenalty, presencePenalty } = this.#sampling;
    if (output.length === 0 || (frequencyPenalty === 0 && presencePenalty === 0)) return {};
    const punishTokens = output.slice();
    return {
      repeatPenalty: {
        punishTokens,
        maxPunishTokens: punishTokens.length,
        penalty: 1,
        frequencyPenalty,
        presencePenalty,
      },
    };
  }

  /** Makes a token of what llama.cpp answered. `step` counts the output tokens before it. */
  read({ next }: ControlledEvaluateIndexOutput, step: number): SampledToken {
    const candidates = candidatesOf(next);
    const { topLogprobs } = this.#sampling;
    const top = { ids: candidates.ids.slice(0, topLogprobs), logprobs: candidates.logprobs.slice(0, topLogprobs) };
    if (this.#filters) {
      const kept = keptCandidates(candidates.logprobs, this.#sampling);
      const index = drawCandidate(candidates.logprobs, kept, stepUniform(this.#seed, step));
      const id = candidates.ids[index];
      const logprob = candidates.logprobs[index];
      if (id !== undefined && logprob !== undefined) return { id, logprob, top };
    } else if (typeof next.token === "number" && next.confidence !== undefined) {
      return { id: next.token, logprob: Math.log(next.confidence), top };
    }
    throw new Error("llama.cpp sampled no token");
  }
}

/** Log probabilities from logits (already divided by the temperature) and the sum of exp(logit − greatest logit). */
function candidatesOf({ logits, totalLogitWeight = 1 }: ControlledEvaluateIndexOutput["next"]): {
  ids: Token[];
  logprobs: number[];
} {
  if (!logits) return { ids: [], logprobs: [] };
  const values = [...logits.values()];
  const normalizer = (values[0] ?? 0) + Math.log(totalLogitWeight);
  return { ids: [...logits.keys()], logprobs: values.map((logit) => logit - normalizer) };
}
