import type { Llama, LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { EngineError } from "../engine.js";
import { DEFAULT_CONTEXT_SIZE, DEFAULT_SEQUENCES, type EmbeddedOptions } from "./embedded-options.js";
import { ensureTinyModel } from "./tiny-model/ensure.js";

/** Tokens of prompts that llama.cpp evaluates in one step. */
const BATCH_SIZE = 512;

/** A loaded model with its KV caches. */
export interface LlamaRuntime {
  readonly model: LlamaModel;
  readonly contextSize: number;
  readonly vocabSize: number;
  readonly sequences: readonly LlamaContextSequence[];
  dispose(): Promise<void>;
}

type LlamaModule = typeof import("node-llama-cpp");

/** node-llama-cpp, an optional peer dependency that only the embedded engine needs. */
export async function importLlama(load: () => Promise<LlamaModule> = () => import("node-llama-cpp")) {
  try {
    return await load();
  } catch (cause) {
    const message =
      "The embedded engine needs llama.cpp: npm install node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 " +
      "(or the package of your platform). docs/reference/embedded-engine.md says how to leave out its GPU packages.";
    throw new EngineError("engine_unavailable", message, { cause });
  }
}

export async function startRuntime(options: EmbeddedOptions): Promise<LlamaRuntime> {
  const sequences = positiveInteger("sequences", options.sequences ?? DEFAULT_SEQUENCES);
  const threads = positiveInteger("threads", options.threads ?? 1);
  if (options.contextSize !== undefined) positiveInteger("contextSize", options.contextSize);
  const modelPath = options.modelPath ?? (await ensureTinyModel()).gguf;
  const { getLlama, LlamaLogLevel } = await importLlama();
  const llama = await getLlama({
    gpu: false,
    build: "never",
    maxThreads: threads,
    progressLogs: false,
    logLevel: LlamaLogLevel.error,
  });
  try {
    const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
    const contextSize = options.contextSize ?? Math.min(model.trainContextSize, DEFAULT_CONTEXT_SIZE);
    const context = await model.createContext({
      contextSize,
      sequences,
      threads,
      batchSize: BATCH_SIZE,
      // On a CPU it computes in 16 bits, differently for one token and for many: recorded log probabilities would be
      // off by some hundredths from those of a trainer that evaluates the sequence in one pass.
      flashAttention: false,
    });
    return runtimeOf(llama, model, context, contextSize);
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

function runtimeOf(llama: Llama, model: LlamaModel, context: LlamaContext, contextSize: number): LlamaRuntime {
  return {
    model,
    contextSize,
    vocabSize: model.fileInfo.metadata.tokenizer.ggml.tokens.length,
    sequences: Array.from({ length: context.totalSequences }, () => context.getSequence()),
    dispose: () => llama.dispose(),
  };
}

function positiveInteger(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`${name} must be a positive integer, not ${value}`);
  return value;
}
