/** Rolltape as a library: record, discount and export in this process, or run the proxy inside it. */
export { type Config, ConfigError, parseConfig, resolveConfig } from "./config/index.js";
export type { ChatMessage } from "./conversation/chat-message.js";
export { loadChatModel } from "./conversation/chat-model.js";
export { type ChatModel, TemplateError } from "./conversation/model.js";
export {
  type Engine,
  EngineError,
  type GenerateCall,
  type GenerateResult,
  type SamplingParams,
} from "./engine/engine.js";
export { createEmbeddedEngine, createSglangEngine, createVllmEngine, ensureTinyModel } from "./engine/index.js";
export { createServer, type ServerOptions } from "./server/app.js";
export type { ServerSettings } from "./server/context.js";
export { type RunningServer, type StartOptions, startServer } from "./server/start.js";
export { Batch, type BatchRow } from "./session/batch.js";
export type { BatchMemory, SharedMemoryOptions } from "./session/batch-memory.js";
export type { BatchOptions } from "./session/batch-options.js";
export { SessionError, type SessionErrorCode } from "./session/errors.js";
export { SessionRegistry } from "./session/registry.js";
export type { BatchTensors, Tensor } from "./session/tensor.js";
export {
  type CreateSessionOptions,
  type RecordInput,
  type StoredSession,
  type StoreExportOptions,
  TrajectoryStore,
} from "./session/trajectory-store.js";
