import type { Llama, LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { type EmbeddedOptions } from "./embedded-options.js";
/** A model's weights with a context: the KV caches of its sequences. */
export interface LoadedModel {
    readonly model: LlamaModel;
    readonly context: LlamaContext;
    readonly sequences: readonly LlamaContextSequence[];
}
/** llama.cpp with the model that the engine uses now. */
export declare class LlamaRuntime {
    #private;
    readonly modelPath: string;
    readonly contextSize: number;
    readonly vocabSize: number;
    /** Replaced when new weights are loaded. */
    current: LoadedModel;
    constructor(llama: Llama, current: LoadedModel, modelPath: string, threads: number, contextSize: number);
    get sequences(): readonly LlamaContextSequence[];
    /**
     * Loads further weights into memory. The file is not mapped, so it may change or be deleted afterwards. Rejects if a weight
     * is not a finite number.
     */
    loadModel(modelPath: string): Promise<LlamaModel>;
    /** Creates a context of the same size as the current one. */
    openModel(model: LlamaModel): Promise<LoadedModel>;
    /** Frees a model and its context. A model whose context could not be created stays in memory: see {@link #stuck}. */
    free(model: LlamaModel, context?: LlamaContext): Promise<void>;
    dispose(): Promise<void>;
}
export declare function startRuntime(options: EmbeddedOptions): Promise<LlamaRuntime>;
