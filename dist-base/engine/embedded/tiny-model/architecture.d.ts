/**
 * Shape of the tiny model: llama.cpp's "llama" architecture, small enough to generate in milliseconds and to run
 * thousands of tokens per second on one core. Its context is long enough for the prompts of long agent rollouts.
 */
export declare const TINY: {
    readonly name: "rolltape-tiny";
    readonly vocabSize: 512;
    readonly layers: 2;
    readonly width: 64;
    readonly heads: 4;
    readonly kvHeads: 2;
    readonly headWidth: 16;
    readonly feedForward: 128;
    readonly contextLength: 131072;
    readonly normEpsilon: 0.00001;
    readonly ropeBase: 500000;
};
/** Control tokens in the order of their ids, which follow the ids of the ordinary tokens. */
export declare const SPECIAL_TOKENS: readonly ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
export declare const PAD_TOKEN = "<|endoftext|>";
export declare const END_OF_TURN_TOKEN = "<|im_end|>";
/** Id of the first control token. */
export declare const FIRST_SPECIAL_ID: number;
export declare const PAD_ID: number;
export declare const END_OF_TURN_ID: number;
