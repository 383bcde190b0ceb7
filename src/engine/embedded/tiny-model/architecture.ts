/**
 * Shape of the tiny model: llama.cpp's "llama" architecture, small enough to generate in milliseconds and to run
 * thousands of tokens per second on one core. Its context is long enough for the prompts of long agent rollouts.
 */
export const TINY = {
  name: "rolltape-tiny",
  vocabSize: 512,
  layers: 2,
  width: 64,
  heads: 2,
  kvHeads: 1,
  /** CPU kernels of vLLM and SGLang take 32 and 64, but not 16. */
  headWidth: 32,
  feedForward: 128,
  contextLength: 131_072,
  normEpsilon: 1e-5,
  ropeBase: 500_000,
} as const;

/** Control tokens in the order of their ids, which follow the ids of the ordinary tokens. */
export const SPECIAL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

export const PAD_TOKEN = "<|endoftext|>";
export const END_OF_TURN_TOKEN = "<|im_end|>";

/** Id of the first control token. */
export const FIRST_SPECIAL_ID = TINY.vocabSize - SPECIAL_TOKENS.length;
export const PAD_ID = FIRST_SPECIAL_ID + SPECIAL_TOKENS.indexOf(PAD_TOKEN);
export const END_OF_TURN_ID = FIRST_SPECIAL_ID + SPECIAL_TOKENS.indexOf(END_OF_TURN_TOKEN);
