/** The part of node-llama-cpp that the embedded engine uses. vite.llama.config.ts bundles it for the npm package. */
export { getLlama, LlamaLogLevel, NoBinaryFoundError, readGgufFileInfo } from "node-llama-cpp";
