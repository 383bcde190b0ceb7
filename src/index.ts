/**
 * Rolltape as a library: record, discount and export in this process, run the proxy inside it, or run agents in episodes
 * against one.
 */
export { BatchFile, BatchFileError, type FileTensor } from "./batch-file/batch-file.js";
export type { MetadataRow } from "./batch-file/batch-rows.js";
export {
  AdminClient,
  type ArrivingBatch,
  type BatchFields,
  type EndedSession,
  type EndedSessions,
  type EndSessionsOptions,
  type ExportFields,
  type HeldBatch,
  type HeldBatchFields,
  type ReceivedBatch,
  type RunSession,
  type SharedBatch,
  type SharedBatchFields,
  type StartedRun,
  type StartedSession,
  type StartRunOptions,
  type StartSessionOptions,
  type TrajectoriesFields,
} from "./client/admin-client.js";
export type { Completion } from "./client/completion.js";
export { ConnectionPool } from "./client/connection-pool.js";
export { ProxyError } from "./client/errors.js";
export { type ExportStyle, Interaction, type TensorDict } from "./client/interaction.js";
export type { Interactions, LeftOutCall } from "./client/interactions.js";
export type { ModelResponse } from "./client/model-response.js";
export type { CallOptions } from "./client/proxy-calls.js";
export { type ExportInteractionsOptions, SessionClient } from "./client/session-client.js";
export { HttpTransport } from "./client/transport.js";
export type { NewWeights, WeightsOptions, WeightsStatus } from "./client/weight-calls.js";
export type { RecordedMessage } from "./client/wire-interaction.js";
export { type Config, ConfigError, parseConfig, resolveConfig } from "./config/index.js";
export type { ChatMessage } from "./conversation/chat-message.js";
export {
  type Engine,
  EngineError,
  type GenerateCall,
  type GenerateResult,
  type LogprobContent,
  type SamplingParams,
} from "./engine/engine.js";
export { createEmbeddedEngine, createSglangEngine, createVllmEngine, ensureTinyModel } from "./engine/index.js";
export type { RecordedSampling } from "./facts/recorded-sampling.js";
export type { SamplingOverrideFields } from "./facts/sampling-override.js";
export {
  type LoadWeights,
  RolloutController,
  type RolloutCounts,
  type SubmitOptions,
  type WeightsPath,
} from "./job/controller.js";
export type {
  ConfiguredOptions,
  ControllerOptions,
  ControllerSettings,
} from "./job/controller-options.js";
export { ControllerError, type ControllerErrorCode } from "./job/errors.js";
export type { BatchOrder, StalenessLimits } from "./job/planning.js";
export { RolloutBatch } from "./job/rollout-batch.js";
export { rejectionOf, type TaskResult } from "./job/task.js";
export type { RunningTask, TaskRunner } from "./job/task-runner.js";
export { type ChatModel, TemplateError } from "./model/chat-model.js";
export { loadChatModel } from "./model/load-chat-model.js";
export type { ChannelSpec } from "./native/contract.js";
export { type ConnectedProxy, type ConnectOptions, connectProxy } from "./rollout/connect.js";
export type {
  AcceptedEpisode,
  Agent,
  AgentContext,
  AgentReward,
  EpisodeExport,
  EpisodeExportOptions,
  EpisodeOptions,
  EpisodeResult,
  RejectedEpisode,
  RewardScope,
  RolloutEngine,
  RolloutWorkflow,
} from "./rollout/contract.js";
export { AgentRefusal } from "./rollout/contract.js";
export { type CutSession, CutSessions } from "./rollout/cut-sessions.js";
export { GroupedWorkflow, type GroupedWorkflowOptions } from "./rollout/grouped-workflow.js";
export { ProxyWorkflow, type ProxyWorkflowOptions } from "./rollout/proxy-workflow.js";
export { PythonAgent, type PythonAgentOptions } from "./rollout/python/python-agent.js";
export { Rejection, type RejectionCode } from "./rollout/rejection.js";
export type { ResolveOptions } from "./rollout/resolve-options.js";
export { resolveWorkflow, type WorkflowInput } from "./rollout/resolve-workflow.js";
export { isWithoutProxy, RetryingWorkflow, type RetryOptions } from "./rollout/retrying-workflow.js";
export type { AgentSourceOptions } from "./rollout/subproc/agent-source.js";
export { SubprocError, type SubprocErrorCode } from "./rollout/subproc/errors.js";
export { ProcessPool, type ProcessPoolOptions } from "./rollout/subproc/process-pool.js";
export { ProgramAgent, type ProgramAgentOptions } from "./rollout/subproc/program-agent.js";
export { SubprocAgent } from "./rollout/subproc/subproc-agent.js";
export { WorkflowError, type WorkflowErrorCode } from "./rollout/workflow-error.js";
export { SchedulerError, type SchedulerErrorCode } from "./scheduler/errors.js";
export type { JobInput, JobSpec } from "./scheduler/job.js";
export { parseJob } from "./scheduler/parse-job.js";
export { runScheduledJob, type ScheduleOptions, type SchedulerType } from "./scheduler/schedule.js";
export type { JobState } from "./scheduler/slurm/job-state.js";
export { createServer, type ServerOptions } from "./server/app.js";
export type { ServerSettings } from "./server/settings.js";
export { type RunningServer, type StartOptions, startServer } from "./server/start.js";
export { Batch, type BatchRow } from "./session/batch/batch.js";
export type { BatchMemory, SharedMemoryOptions } from "./session/batch/batch-memory.js";
export type { BatchOptions } from "./session/batch/batch-options.js";
export type { BatchImage } from "./session/batch/image-tensors.js";
export type { BatchTensors, ChannelTensor, Tensor } from "./session/batch/tensor.js";
export { SessionError, type SessionErrorCode } from "./session/errors.js";
export type { ImageInput } from "./session/place-images.js";
export { SessionRegistry } from "./session/session-registry.js";
export {
  type ChannelInput,
  type CreateSessionOptions,
  type LocalSession,
  type RecordInput,
  type StoreExportOptions,
  TrajectoryStore,
} from "./session/trajectory-store.js";
export type { AbortSource } from "./support/async/abort-source.js";
export { SafetensorsError } from "./support/safetensors/errors.js";
export { openTelemetry, type TelemetryProcess, type TelemetrySettings } from "./telemetry/open-telemetry.js";
export type { Telemetry } from "./telemetry/telemetry.js";
