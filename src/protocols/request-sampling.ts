/** The sampling parameters of a request, the same for every protocol. The server adds the rest. */
export interface RequestSampling {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly minP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** 1 turns it off. */
  readonly repetitionPenalty: number;
  /** 0: the answer may end at any token. */
  readonly minTokens: number;
  /** If true, the model's own stop tokens do not end the answer. */
  readonly ignoreEos: boolean;
  /** Biases that are added to the logits of tokens, by ascending id. */
  readonly logitBias: readonly TokenBias[];
  /** Undefined: the reasoning has no limit of its own. */
  readonly thinkingBudget: ThinkingBudget | undefined;
  /** Undefined: as many as fit the context. */
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly seed: number | undefined;
  /** Alternatives to record per token. */
  readonly topLogprobs: number;
  readonly structure: OutputSchema | undefined;
}

export type TokenBias = readonly [tokenId: number, bias: number];

/** A limit of the reasoning tokens. */
export interface ThinkingBudget {
  readonly tokens: number;
  /** The request's field that sets it. */
  readonly param: string;
}

/** A JSON schema that the output must match. */
export interface OutputSchema {
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
  repetitionPenalty: 1,
  minTokens: 0,
  ignoreEos: false,
  logitBias: [],
  thinkingBudget: undefined,
  maxTokens: undefined,
  stop: [],
  stopTokenIds: [],
  seed: undefined,
  topLogprobs: 0,
  structure: undefined,
};
