export { createEmbeddedEngine } from "./embedded/engine.js";
export type { EmbeddedOptions } from "./embedded/options.js";
export { ensureTinyModel, type TinyModel } from "./embedded/tiny-model/ensure.js";
export {
  type Engine,
  EngineError,
  type EngineErrorCode,
  type Finish,
  type GenerateCall,
  type GenerateResult,
  type SamplingParams,
} from "./engine.js";
export { createSglangEngine } from "./sglang/engine.js";
export type { SglangOptions } from "./sglang/options.js";
