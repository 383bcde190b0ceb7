/** Number of ids that the doubles of engine servers sample from. */
export const MASK_VOCABULARY = 512;

export interface MaskSampling {
  /** 0 and -1 turn it off. */
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

/** Returns the invented sampling mask of a token, ascending: the token and its neighbors. */
export function maskOf(id: number, { topK, topP, minP }: MaskSampling): number[] {
  const most = topK > 0 ? Math.min(topK, MASK_VOCABULARY) : MASK_VOCABULARY;
  const length = topP < 1 || minP > 0 ? Math.min(most, 1 + (id % 7)) : most;
  const first = Math.max(0, Math.min(id - Math.floor(length / 2), MASK_VOCABULARY - length));
  return Array.from({ length }, (_, index) => first + index);
}

/** Returns the log probability among the ids of the mask, of a token with this one among all ids. */
export function maskedLogprob(logprob: number): number {
  return logprob / 2;
}

/** Reads the sampling fields that SGLang and vLLM name alike. */
export function readMaskSampling(fields: Readonly<Record<string, unknown>>): MaskSampling {
  const read = (name: string, missing: number) => (typeof fields[name] === "number" ? fields[name] : missing);
  return { topK: read("top_k", 0), topP: read("top_p", 1), minP: read("min_p", 0) };
}
