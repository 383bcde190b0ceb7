import { type BytePairEncoding } from "./bpe.js";
import { type GgufValue } from "./gguf.js";
export declare const GGUF_FILE = "model.gguf";
/**
 * Returns every file of the tiny model by name: a GGUF for llama.cpp, and a Hugging Face folder with the same weights.
 *
 * @param seed of the weights
 */
export declare function tinyModelFiles(seed?: number): Map<string, Buffer>;
/** Returns the metadata of the GGUF file. */
export declare function ggufMetadata({ tokens, merges }: BytePairEncoding): Map<string, GgufValue>;
