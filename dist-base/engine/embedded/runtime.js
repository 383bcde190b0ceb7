import { DEFAULT_CONTEXT_SIZE, DEFAULT_SEQUENCES } from "./embedded-options.js";
import { importLlama, openLlama } from "./import-llama.js";
import { ensureTinyModel } from "./tiny-model/ensure.js";
/** Prompt tokens that llama.cpp evaluates in one step. */
const BATCH_SIZE = 512;
/** llama.cpp with the model that the engine uses now. */
export class LlamaRuntime {
    modelPath;
    contextSize;
    vocabSize;
    /** Replaced when new weights are loaded. */
    current;
    #llama;
    #threads;
    /** The models that can be freed. */
    #models;
    /**
     * True once a model or its context could not be created. node-llama-cpp then keeps a handle on their owner, and would wait
     * for the handle forever when the owner is disposed of.
     */
    #stuck = false;
    constructor(llama, current, modelPath, threads, contextSize) {
        this.#llama = llama;
        this.current = current;
        this.#models = new Set([current.model]);
        this.modelPath = modelPath;
        this.#threads = threads;
        this.contextSize = contextSize;
        this.vocabSize = current.model.fileInfo.metadata.tokenizer.ggml.tokens.length;
    }
    get sequences() {
        return this.current.sequences;
    }
    /**
     * Loads further weights into memory. The file is not mapped, so it may change or be deleted afterwards. Rejects if a weight
     * is not a finite number.
     */
    async loadModel(modelPath) {
        try {
            const options = { modelPath, gpuLayers: 0, useMmap: false, checkTensors: true };
            const model = await this.#llama.loadModel(options);
            this.#models.add(model);
            return model;
        }
        catch (error) {
            this.#stuck = true;
            throw error;
        }
    }
    /** Creates a context of the same size as the current one. */
    async openModel(model) {
        try {
            return await openModel(model, this.contextSize, this.current.sequences.length, this.#threads);
        }
        catch (error) {
            this.#models.delete(model);
            this.#stuck = true;
            throw error;
        }
    }
    /** Frees a model and its context. A model whose context could not be created stays in memory: see {@link #stuck}. */
    async free(model, context) {
        await context?.dispose();
        if (this.#models.delete(model))
            await model.dispose();
    }
    async dispose() {
        await this.current.context.dispose();
        await Promise.all([...this.#models].map((model) => this.free(model)));
        const disposing = this.#llama.dispose();
        if (!this.#stuck)
            await disposing;
    }
}
export async function startRuntime(options) {
    const sequences = checkPositiveInteger("sequences", options.sequences ?? DEFAULT_SEQUENCES);
    const threads = checkPositiveInteger("threads", options.threads ?? 1);
    if (options.contextSize !== undefined)
        checkPositiveInteger("contextSize", options.contextSize);
    const modelPath = options.modelPath ?? (await ensureTinyModel()).gguf;
    const llama = await openLlama(await importLlama(), threads);
    try {
        const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
        const contextSize = options.contextSize ?? Math.min(model.trainContextSize, DEFAULT_CONTEXT_SIZE);
        const loaded = await openModel(model, contextSize, sequences, threads);
        return new LlamaRuntime(llama, loaded, modelPath, threads, contextSize);
    }
    catch (error) {
        // Not awaited, because node-llama-cpp would wait forever for a model that could not be loaded.
        void llama.dispose();
        throw error;
    }
}
async function openModel(model, contextSize, sequences, threads) {
    const context = await model.createContext({
        contextSize,
        sequences,
        threads,
        batchSize: BATCH_SIZE,
        // On a CPU, flash attention computes in 16 bits, and differently for one token than for many. Recorded log
        // probabilities would differ by some hundredths from those of a trainer that evaluates the sequence in one pass.
        flashAttention: false,
    });
    return { model, context, sequences: Array.from({ length: context.totalSequences }, () => context.getSequence()) };
}
function checkPositiveInteger(name, value) {
    if (!Number.isInteger(value) || value < 1) {
        throw new RangeError(`${name} must be a positive integer; received ${value}`);
    }
    return value;
}
//# sourceMappingURL=runtime.js.map