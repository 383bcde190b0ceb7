import type { Llama, LlamaContext, LlamaContextSequence, LlamaModel } from "node-llama-cpp";
import { EngineError } from "../engine.js";
import { DEFAULT_CONTEXT_SIZE, DEFAULT_SEQUENCES, type EmbeddedOptions } from "./embedded-options.js";
import { ensureTinyModel } from "./tiny-model/ensure.js";

/** Prompt tokens that llama.cpp evaluates in one step. */
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

/** Imports node-llama-cpp, an optional peer dependency that only the embedded engine needs. */
export async function importLlama(load: () => Promise<LlamaModule> = () => import("node-llama-cpp")) {
  try {
    return await load();
  } catch (cause) {
    const message =
      "The embedded engine requires llama.cpp: npm install node-llama-cpp@3.22.1 @node-llama-cpp/linux-x64@3.22.1 " +
      "(or the package of your platform). docs/reference/embedded-engine.md explains how to omit its GPU packages.";
    throw new EngineError("engine_unavailable", message, { cause });
  }
}

export async function startRuntime(options: EmbeddedOptions): Promise<LlamaRuntime> {
  const sequences = checkPositiveInteger("sequences", options.sequences ?? DEFAULT_SEQUENCES);
  const threads = checkPositiveInteger("threads", options.threads ?? 1);
  if (options.contextSize !== undefined) checkPositiveInteger("contextSize", options.contextSize);
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
      // On a CPU, flash attention computes in 16 bits, and differently for one token than for many. Recorded log
      // probabilities would differ by some hundredths from those of a trainer that evaluates the sequence in one pass.
      flashAttention: false,
    });
    return toRuntime(llama, model, context, contextSize);
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

function toRuntime(llama: Llama, model: LlamaModel, context: LlamaContext, contextSize: number): LlamaRuntime {
  return {
    model,
    contextSize,
    vocabSize: model.fileInfo.metadata.tokenizer.ggml.tokens.length,
    sequences: Array.from({ length: context.totalSequences }, () => context.getSequence()),
    dispose: () => llama.dispose(),
  };
}

function checkPositiveInteger(name: string, value: number): number {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${name} must be a positive integer; received ${value}`);
  }
  return value;
}
