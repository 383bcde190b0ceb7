/** Part of the folder's name. Raise it whenever the content of a file changes. */
export declare const TINY_MODEL_VERSION = 2;
export interface TinyModel {
    /** Path of the GGUF file. */
    readonly gguf: string;
    /** Path of the Hugging Face folder, with weights, configuration and tokenizer. transformers loads it. */
    readonly folder: string;
}
/**
 * Returns a small random-weight chat model, which the first call generates in the cache folder. Several processes may
 * call it at the same time: each writes a draft folder, the first one to rename its draft wins, and the others use that.
 */
export declare function ensureTinyModel(cache?: string): Promise<TinyModel>;
