import type { Llama } from "node-llama-cpp";
/** Version of node-llama-cpp, and of the packages with the binaries of llama.cpp. */
export declare const LLAMA_VERSION = "3.22.1";
type LlamaModule = typeof import("./llama-cpp.js");
/** Imports node-llama-cpp late, so that only the embedded engine waits for it. */
export declare function importLlama(load?: () => Promise<LlamaModule>): Promise<LlamaModule>;
/**
 * Opens llama.cpp for the CPU.
 *
 * @throws EngineError engine_unavailable if its binaries for this platform are not installed, or do not load
 */
export declare function openLlama({ getLlama, LlamaLogLevel, NoBinaryFoundError }: LlamaModule, threads: number): Promise<Llama>;
export {};
