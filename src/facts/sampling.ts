import { z } from "zod";
import { bool, type Fact, type FactValues, f32, i32, missingValues } from "./fact.js";

/** A sampling parameter that requests, engines and records hold in the same form. */
interface Parameter extends Fact {
  /** Turns the parameter off. */
  readonly missing: number | boolean;
  /** Every endpoint takes it at the top of a request under its JSON name, as SGLang's and vLLM's own endpoints do. */
  readonly everywhere?: true;
}

const penalty = { schema: z.number().min(-2).max(2), recorded: z.number(), missing: 0 };

export const TRUNCATION = {
  /** 1 turns it off. */
  topP: { json: "top_p", schema: z.number().gt(0).max(1), missing: 1, column: f32(6, "Nucleus sampling; 1: off.") },
  /** 0 turns it off. */
  topK: { json: "top_k", schema: z.int32().min(0), missing: 0, column: i32(7, "Top-k sampling; 0: off.") },
  /** 0 turns it off. */
  minP: {
    json: "min_p",
    schema: z.number().min(0).max(1),
    missing: 0,
    everywhere: true,
    column: f32(8, "Min-p sampling; 0: off."),
  },
} as const satisfies Record<string, Parameter>;

/** Returns true if top-k, top-p or min-p may exclude tokens. Greedy sampling takes the likeliest token whatever they are. */
export function isTruncated({ topK, topP, minP, temperature }: Truncation): boolean {
  return temperature > 0 && (topK > 0 || topP < 1 || minP > 0);
}

type Truncation = FactValues<typeof TRUNCATION> & Pick<Sampling, "temperature">;

export const PENALTIES = {
  frequencyPenalty: { json: "frequency_penalty", ...penalty, column: f32(9, "0: off.") },
  presencePenalty: { json: "presence_penalty", ...penalty, column: f32(10, "0: off.") },
  /** 1 turns it off. */
  repetitionPenalty: {
    json: "repetition_penalty",
    schema: z.number().gt(0).max(2).describe("1 turns it off."),
    recorded: z.number().gt(0),
    missing: 1,
    everywhere: true,
    column: f32(20, "1: off."),
  },
  /** Number of output tokens before which stop tokens are not sampled; at most the limit of output tokens. */
  minTokens: {
    json: "min_tokens",
    schema: z.int32().min(0).describe("Stop tokens are not sampled before this number of output tokens."),
    missing: 0,
    everywhere: true,
    column: i32(21, "Number of output tokens before which stop tokens were not sampled; 0: off."),
  },
  /** If true, only `stopTokenIds` end the output, and not the stop tokens that the engine knows for its model. */
  ignoreEos: {
    json: "ignore_eos",
    schema: z.boolean().describe("The model's own stop tokens do not end the answer."),
    missing: false,
    everywhere: true,
    column: bool(22, "The model's own stop tokens did not end the output."),
  },
} as const satisfies Record<string, Parameter>;

/** The parameters that requests, engines and records hold in the same form. */
export const PARAMETERS = { ...TRUNCATION, ...PENALTIES };

/** Their values in a request, an engine's call or a record. */
export interface ParameterValues extends FactValues<typeof PARAMETERS> {}

export type ParameterName = keyof ParameterValues;

/** A parameter's name in JSON. */
export type ParameterField = (typeof PARAMETERS)[ParameterName]["json"];

/** How tokens are drawn: what a request asks for and an engine is told. Each of them adds what it has in a form of its own. */
export interface Sampling extends ParameterValues {
  /** 0 is greedy. Log probabilities are log_softmax(logits / temperature), with temperature 1 if greedy. */
  readonly temperature: number;
  /** Biases that are added to the logits of tokens, by ascending id. */
  readonly logitBias: readonly TokenBias[];
  /** Strings that end the output. They stay in the tokens; the output parser removes them from the text. */
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  /** Equal seeds give equal outputs. */
  readonly seed: number | undefined;
  /** Alternatives to record per token; 0 for none. */
  readonly topLogprobs: number;
}

export type TokenBias = readonly [tokenId: number, bias: number];

/** Sampling from the whole distribution: every parameter is off. */
export const PLAIN_SAMPLING: Sampling = {
  ...missingValues(PARAMETERS),
  temperature: 1,
  logitBias: [],
  stop: [],
  stopTokenIds: [],
  seed: undefined,
  topLogprobs: 0,
};
