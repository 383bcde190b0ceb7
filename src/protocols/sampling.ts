/** What a request says about sampling, the same for every protocol; the rest is the server's to fill in. */
export interface RequestSampling {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** Absent: what is left of the context. */
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly seed: number | undefined;
  /** Alternatives per token to record. */
  readonly topLogprobs: number;
}
