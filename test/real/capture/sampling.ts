import type { SamplingParams } from "../../../src/engine/engine.js";
import type { AskedValues } from "../../../src/native/contract.js";
import { PLAIN as UNFILTERED } from "../../engine/generate-call.js";

/** Ordinary text of the tiny model. */
export const PROMPT = [65, 66, 67, 68, 69, 70];

/** An id of the tiny model whose text is "a", and the id that ends its texts. */
const LETTER = 64;
const END = 511;

const PLAIN: SamplingParams = { ...UNFILTERED, maxTokens: 5, seed: 7 };

const sampling = (changes: Partial<SamplingParams>): SamplingParams => ({ ...PLAIN, ...changes });

/** Generations that end by themselves. Each is captured whole and streamed. */
export const FINISHED: Readonly<Record<string, SamplingParams>> = {
  length: sampling({ ignoreEos: true }),
  top: sampling({ topLogprobs: 2, ignoreEos: true }),
  "top-greedy": sampling({ topLogprobs: 3, temperature: 0, ignoreEos: true, maxTokens: 3 }),
  "stop-string": sampling({ logitBias: [[LETTER, 100]], stop: ["aaaaaa"], maxTokens: 9 }),
  "stop-id": sampling({ logitBias: [[LETTER, 100]], stopTokenIds: [LETTER], minTokens: 2, maxTokens: 9 }),
  eos: sampling({ logitBias: [[END, 100]], stopTokenIds: [END], minTokens: 3, maxTokens: 9 }),
  "eos-alone": sampling({ logitBias: [[END, 100]], stopTokenIds: [], maxTokens: 9 }),
  grammar: sampling({ grammar: { kind: "regex", pattern: "(yes|no)" }, maxTokens: 9 }),
};

/** Refused because of what they ask for. Each is captured whole and streamed. */
export const REFUSED: Readonly<Record<string, SamplingParams>> = {
  grammar: sampling({ grammar: { kind: "regex", pattern: "(" } }),
  "logit-bias": sampling({ logitBias: [[99_999, 1]] }),
};

/** A generation that runs until something cuts it. */
export const LONG = sampling({ maxTokens: 480, ignoreEos: true });

/** Long enough for a change of the weight version in the middle. */
export const LONGER = sampling({ maxTokens: 32, ignoreEos: true });

/** Fixed tokens whose log probabilities a request asks for. */
export const TOKEN_IDS: AskedValues = { tokenIds: Int32Array.of(7, 5, 300) };

export { PLAIN, sampling };
