/** What the embedded engine uses of node-llama-cpp. The npm package has this bundled: see vite.llama.config.ts. */
export { getLlama, LlamaLogLevel, NoBinaryFoundError, readGgufFileInfo } from "node-llama-cpp";
