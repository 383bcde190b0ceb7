import type { GgufFileInfo } from "node-llama-cpp";
/** Types of tensors in ggml: https://github.com/ggml-org/ggml/blob/master/include/ggml.h */
export declare const GGML_TYPE: {
    readonly F32: 0;
    readonly F16: 1;
    readonly BF16: 30;
};
/** Factors of Llama 3's rotary embedding. Only GGUF files have them as a tensor. */
export declare const ROTARY_FACTORS = "rope_freqs.weight";
export interface TemplateTensor {
    readonly name: string;
    /** In ggml's order: `shape[0]` is the number of columns. */
    readonly shape: readonly number[];
    /** A value of ggml's enumeration. */
    readonly type: number;
}
/**
 * The properties that new weights share with the model in use, and the parts of a GGUF file that safetensors files lack: metadata
 * and vocabulary. They are kept in memory, because the file may change while the engine runs.
 */
export interface ModelTemplate {
    readonly architecture: string;
    /** The model's own limit, not the engine's. */
    readonly contextLength: number | undefined;
    /** Digest of the tokens in the order of their ids. */
    readonly vocabulary: string;
    readonly tensors: ReadonlyMap<string, TemplateTensor>;
    readonly metadata: GgufMetadataBytes;
    /** Bytes of the tensor {@link ROTARY_FACTORS}, if the model has it. */
    readonly rotaryFactors: Uint8Array | undefined;
    /** Returns a number of the architecture's metadata, for example of `attention.head_count`. */
    number(key: string): number | undefined;
    /** Returns a text of the architecture's metadata. */
    text(key: string): string | undefined;
}
export interface GgufMetadataBytes {
    readonly version: number;
    readonly pairs: bigint;
    /** The encoded key-value pairs. */
    readonly bytes: Uint8Array;
    /** The data of each tensor begins at a multiple of it. */
    readonly alignment: number;
    /** The model is stored in several files, so the pairs describe only one of them. */
    readonly split: boolean;
}
/** Size of magic, version and the counts of tensors and pairs: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
export declare const GGUF_HEADER_BYTES = 24;
/** @param path the file that `info` describes */
export declare function readModelTemplate(info: GgufFileInfo, path: string): Promise<ModelTemplate>;
/** Returns the digest of a vocabulary, for {@link ModelTemplate.vocabulary}. */
export declare function digest(tokens: readonly string[]): string;
type GgufTensor = NonNullable<GgufFileInfo["tensorInfo"]>[number];
export declare function toTensor({ name, dimensions, ggmlType }: GgufTensor): TemplateTensor;
export {};
