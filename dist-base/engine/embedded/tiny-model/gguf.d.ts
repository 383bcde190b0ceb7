import type { Tensor } from "./weights.js";
/**
 * A metadata value with its GGUF type.
 *
 * Format: GGUF version 3, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export type GgufValue = {
    readonly type: "u32" | "i32" | "f32";
    readonly value: number;
} | {
    readonly type: "bool";
    readonly value: boolean;
} | {
    readonly type: "string";
    readonly value: string;
} | {
    readonly type: "strings";
    readonly value: readonly string[];
} | {
    readonly type: "i32s";
    readonly value: readonly number[];
};
/** Returns the bytes of a GGUF file with float32 tensors. */
export declare function encodeGguf(metadata: ReadonlyMap<string, GgufValue>, tensors: readonly Tensor[]): Buffer;
