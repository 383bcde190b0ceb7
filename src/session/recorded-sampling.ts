/** How the tokens of one interaction were drawn. */
export interface RecordedSampling {
  /**
   * Divisor of the logits that reproduces the recorded log probabilities: 1 when sampling was greedy, and 1 when the engine
   * reports raw log probabilities.
   */
  readonly temperature: number;
  /** The temperature that tokens were drawn with; 0 when greedy. */
  readonly samplingTemperature: number;
  readonly greedy: boolean;
  /** 1 is off. */
  readonly topP: number;
  /** 0 is off. */
  readonly topK: number;
  /** 0 is off. */
  readonly minP: number;
  readonly seed: number | undefined;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** Upper bound that the engine was given, in tokens. */
  readonly maxTokens: number;
  /** A grammar (structured output, enforced tool calls) was in force. */
  readonly grammar: boolean;
  readonly logprobs: LogprobContent;
  /** The configuration replaced a value that the request asked for. */
  readonly overridden: boolean;
}

/** What recorded log probabilities include. */
export type LogprobContent = "temperature" | "truncated" | "raw" | "unknown";
