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
  readonly structure: OutputStructure | undefined;
}

/** A form that the output must have. */
export interface OutputStructure {
  /** JSON text. */
  readonly jsonSchema: string;
  /** The request's field that asks for it. */
  readonly param: string;
}

/** Plain sampling of the whole distribution: what holds where a protocol says nothing. */
export const PLAIN_SAMPLING: RequestSampling = {
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  maxTokens: undefined,
  stop: [],
  stopTokenIds: [],
  seed: undefined,
  topLogprobs: 0,
  structure: undefined,
};
