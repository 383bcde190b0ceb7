import { addBiases, countKept, drawCandidate } from "./candidates.js";
import { stepSeed, stepUniform } from "./randomness.js";
/** Temperatures below this one mean greedy sampling, as in SGLang. */
export const GREEDY_BELOW = 1e-6;
/**
 * Draws the tokens of one call.
 *
 * Without top-k, top-p and min-p, llama.cpp draws the token. With one of them, llama.cpp returns candidates and the sum
 * of all weights, and the token is drawn here. llama.cpp's own top-p and min-p cannot be used: they filter before the
 * temperature is applied, and discard the other tokens, so the probability over the whole vocabulary is lost. The price
 * is a copy of the top-k candidates per token, or of the whole vocabulary if there is no top-k.
 *
 * llama.cpp applies the penalties to the logits first, over the output so far. Recorded log probabilities therefore include
 * penalties.
 *
 * Biases, and the mask of stop tokens before the least number of tokens, are applied here too: node-llama-cpp accepts no
 * biases of the tokens that end a turn. They need a copy of the whole vocabulary per token.
 */
export class Sampler {
    #sampling;
    #seed;
    #vocabSize;
    #biases;
    /** The biases while the output has fewer tokens than it must have. */
    #earlyBiases;
    constructor(sampling, seed, vocabSize) {
        this.#sampling = sampling;
        this.#seed = seed;
        this.#vocabSize = vocabSize;
        // The candidates' logits are already divided by the temperature.
        const divisor = this.#greedy ? 1 : sampling.temperature;
        this.#biases = new Map(sampling.logitBias.map(([id, bias]) => [id, bias / divisor]));
        const masked = sampling.stopTokenIds.map((id) => [id, Number.NEGATIVE_INFINITY]);
        this.#earlyBiases = new Map([...this.#biases, ...masked]);
    }
    get #greedy() {
        return this.#sampling.temperature < GREEDY_BELOW;
    }
    get #filters() {
        const { topK, topP, minP } = this.#sampling;
        return !this.#greedy && (topK > 0 || topP < 1 || minP > 0);
    }
    /** @param step number of output tokens before the next one */
    #biasesAt(step) {
        return step < this.#sampling.minTokens ? this.#earlyBiases : this.#biases;
    }
    /** Returns the request to llama.cpp for the token after the last input token. */
    request(output) {
        const includeTop = this.#candidatesNeeded(output.length);
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
    #candidatesNeeded(step) {
        if (this.#biasesAt(step).size > 0)
            return this.#vocabSize;
        const { topK, topLogprobs } = this.#sampling;
        const filtered = topK > 0 ? topK : this.#vocabSize;
        return Math.min(Math.max(topLogprobs, this.#filters ? filtered : 0), this.#vocabSize);
    }
    #penalties(output) {
        const { frequencyPenalty, presencePenalty, repetitionPenalty } = this.#sampling;
        const isPlain = frequencyPenalty === 0 && presencePenalty === 0 && repetitionPenalty === 1;
        if (output.length === 0 || isPlain)
            return {};
        const punishTokens = output.slice();
        return {
            repeatPenalty: {
                punishTokens,
                maxPunishTokens: punishTokens.length,
                penalty: repetitionPenalty,
                frequencyPenalty,
                presencePenalty,
            },
        };
    }
    /**
     * Reads llama.cpp's answer to {@link request}.
     *
     * @param step number of output tokens before this one
     */
    read({ next }, step) {
        const biases = this.#biasesAt(step);
        const candidates = addBiases(readCandidates(next), biases);
        const { topLogprobs } = this.#sampling;
        const top = { ids: candidates.ids.slice(0, topLogprobs), logprobs: candidates.logprobs.slice(0, topLogprobs) };
        if (this.#filters || biases.size > 0) {
            const index = this.#greedy ? 0 : this.#draw(candidates.logprobs, step);
            const id = candidates.ids[index];
            const logprob = candidates.logprobs[index];
            if (id !== undefined && logprob !== undefined)
                return { id, logprob, top };
        }
        else if (typeof next.token === "number" && next.confidence !== undefined) {
            return { id: next.token, logprob: Math.log(next.confidence), top };
        }
        throw new Error("llama.cpp returned no token");
    }
    #draw(logprobs, step) {
        const kept = this.#filters ? countKept(logprobs, this.#sampling) : logprobs.length;
        return drawCandidate(logprobs, kept, stepUniform(this.#seed, step));
    }
}
/** Computes log probabilities from logits, already divided by the temperature, and the sum of exp(logit − largest logit). */
function readCandidates({ logits, totalLogitWeight = 1 }) {
    if (!logits)
        return { ids: [], logprobs: [] };
    const values = [...logits.values()];
    const normalizer = (values[0] ?? 0) + Math.log(totalLogitWeight);
    return { ids: [...logits.keys()], logprobs: values.map((logit) => logit - normalizer) };
}
//# sourceMappingURL=sampler.js.map