export { createEmbeddedEngine } from "./embedded/embedded-engine.js";
export type { EmbeddedOptions } from "./embedded/embedded-options.js";
export { ensureTinyModel, type TinyModel } from "./embedded/tiny-model/ensure.js";
export { type Engine, EngineError, type EngineErrorCode, type EngineServerCounts, type EngineServerState, type EngineSupport, type Finish, type GenerateCall, type GenerateResult, type Grammar, type LocalWeights, type LogprobContent, type PauseMode, type PreparedWeights, type ReadinessProblem, type SamplingParams, type ServerControl, type ServerReadiness, } from "./engine.js";
export { createSglangEngine } from "./sglang/create-sglang-engine.js";
export type { SglangOptions } from "./sglang/sglang-options.js";
export { createVllmEngine } from "./vllm/create-vllm-engine.js";
export type { VllmApi, VllmOptions } from "./vllm/vllm-options.js";
