import { existsSync } from "node:fs";
import { EngineError } from "../engine.js";
/** The bundle of node-llama-cpp, which vite.llama.config.ts makes. Without a build, node-llama-cpp itself is imported. */
const BUNDLE = new URL("./llama-cpp/dist/bundle/testBindingBinary.js", import.meta.url);
/** Version of node-llama-cpp, and of the packages with the binaries of llama.cpp. */
export const LLAMA_VERSION = "3.22.1";
/** Imports node-llama-cpp late, so that only the embedded engine waits for it. */
export async function importLlama(load = loadBundle) {
    try {
        return await load();
    }
    catch (cause) {
        const message = `The embedded engine requires llama.cpp: npm install node-llama-cpp@${LLAMA_VERSION}.`;
        throw new EngineError("engine_unavailable", message, { cause });
    }
}
async function loadBundle() {
    return existsSync(BUNDLE) ? (await import(BUNDLE.href)) : import("./llama-cpp.js");
}
/**
 * Opens llama.cpp for the CPU.
 *
 * @throws EngineError engine_unavailable if its binaries for this platform are not installed, or do not load
 */
export async function openLlama({ getLlama, LlamaLogLevel, NoBinaryFoundError }, threads) {
    try {
        return await getLlama({
            gpu: false,
            build: "never",
            maxThreads: threads,
            progressLogs: false,
            logLevel: LlamaLogLevel.error,
        });
    }
    catch (cause) {
        if (!(cause instanceof NoBinaryFoundError))
            throw cause;
        const target = `${process.platform}-${process.arch}`;
        const message = `The embedded engine found no llama.cpp that works on ${target}. If it is not installed, ` +
            `npm install @node-llama-cpp/${target}@${LLAMA_VERSION} adds it. Otherwise set engine.type to sglang or vllm.`;
        throw new EngineError("engine_unavailable", message, { cause });
    }
}
//# sourceMappingURL=import-llama.js.map