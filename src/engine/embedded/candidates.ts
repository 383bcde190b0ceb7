/** Tokens that may come next, most probable first, with their log probabilities over the whole vocabulary. */
export interface Candidates {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

/**
 * Adds biases to the logits of tokens, and computes the log probabilities anew. A bias of -Infinity removes its token.
 *
 * @param candidates the whole vocabulary
 */
export function addBiases<Id extends number>(
  candidates: { readonly ids: readonly Id[]; readonly logprobs: readonly number[] },
  biases: ReadonlyMap<number, number>,
): { readonly ids: readonly Id[]; readonly logprobs: readonly number[] } {
  if (biases.size === 0) return candidates;
  const biased = candidates.ids.map((id, i) => {
    return { id, logit: (candidates.logprobs[i] ?? 0) + (biases.get(id) ?? 0) };
  });
  const sorted = biased.filter(({ logit }) => logit > Number.NEGATIVE_INFINITY).sort((a, b) => b.logit - a.logit);
  const largest = sorted[0]?.logit ?? 0;
  const normalizer = largest + Math.log(sorted.reduce((sum, { logit }) => sum + Math.exp(logit - largest), 0));
  return { ids: sorted.map(({ id }) => id), logprobs: sorted.map(({ logit }) => logit - normalizer) };
}

/** Top-k, top-p and min-p. The values 0, 1 and 0 turn them off. */
export interface SamplingFilters {
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

/**
 * Counts the candidates that may be drawn. A candidate may be drawn if it is among the `topK` most probable, if at most
 * `topP` of the probability mass comes before it, and if it is at least `minP` times as probable as the first. All three
 * filters use the probabilities of the whole vocabulary, like SGLang's joint filter. At least one candidate remains.
 */
export function countKept(logprobs: readonly number[], { topK, topP, minP }: SamplingFilters): number {
  const limit = topK > 0 ? Math.min(topK, logprobs.length) : logprobs.length;
  const floor = minP > 0 ? (logprobs[0] ?? 0) + Math.log(minP) : Number.NEGATIVE_INFINITY;
  let mass = 0;
  let count = 0;
  while (count < limit) {
    const logprob = logprobs[count] ?? Number.NEGATIVE_INFINITY;
    if (count > 0 && (mass > topP || logprob < floor)) break;
    mass += Math.exp(logprob);
    count++;
  }
  return count;
}

/**
 * Draws one of the first `count` candidates, in proportion to their probabilities.
 *
 * @param uniform a random number in [0, 1)
 * @returns the index of the candidate
 */
export function drawCandidate(logprobs: readonly number[], count: number, uniform: number): number {
  const weights = logprobs.slice(0, count).map(Math.exp);
  let rest = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return index;
  }
  // Rounding can leave a rest after the last candidate.
  return count - 1;
}
