import type { Tensor } from "./weights.js";
/** Returns the bytes of a safetensors file in Hugging Face's names and order of rows. */
export declare function encodeCheckpoint(tensors: readonly Tensor[]): Buffer;
