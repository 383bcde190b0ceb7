/** Tokens that may come next, most probable first, with their log probabilities over the whole vocabulary. */
export interface Candidates {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

/** 0, 1 and 0 are off. */
export interface Filters {
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

/**
 * How many of the candidates may be drawn: the `topK` most probable, of these the ones before which less than `topP` of
 * the probability mass lies, of these the ones at least `minP` times as probable as the first. All three look at the
 * probabilities of the whole vocabulary, as SGLang's joint filter does. At least one always remains.
 */
export function keptCandidates(logprobs: readonly number[], { topK, topP, minP }: Filters): number {
  const limit = topK > 0 ? Math.min(topK, logprobs.length) : logprobs.length;
  const floor = minP > 0 ? (logprobs[0] ?? 0) + Math.log(minP) : Number.NEGATIVE_INFINITY;
  let mass = 0;
  let kept = 0;
  while (kept < limit) {
    const logprob = logprobs[kept] ?? Number.NEGATIVE_INFINITY;
    if (kept > 0 && (mass > topP || logprob < floor)) break;
    mass += Math.exp(logprob);
    kept++;
  }
  return kept;
}

/**
 * Draws one of the first `kept` candidates, in proportion to their probabilities.
 *
 * @param uniform in [0, 1).
 * @returns the index of the candidate.
 */
export function drawCandidate(logprobs: readonly number[], kept: number, uniform: number): number {
  const weights = logprobs.slice(0, kept).map(Math.exp);
  let rest = uniform * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    rest -= weight;
    if (rest < 0) return index;
  }
  return kept - 1;
}
