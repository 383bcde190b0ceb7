/** The sampling parameters of a request, the same for every protocol. The server adds the rest. */
export interface RequestSampling {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** Undefined: as many as fit the context. */
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly seed: number | undefined;
  /** Alternatives to record per token. */
  readonly topLogprobs: number;
  readonly structure: OutputStructure | undefined;
}

/** A JSON schema that the output must match. */
export interface OutputStructure {
  /** JSON text. */
  readonly jsonSchema: string;
  /** The request's field that asks for it. */
  readonly param: string;
}

/** Sampling from the whole distribution: the defaults for parameters that a protocol does not have. */
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
