export { createEmbeddedEngine } from "./embedded/embedded-engine.js";
export { ensureTinyModel } from "./embedded/tiny-model/ensure.js";
export { EngineError, } from "./engine.js";
export { createSglangEngine } from "./sglang/create-sglang-engine.js";
export { createVllmEngine } from "./vllm/create-vllm-engine.js";
//# sourceMappingURL=index.js.map