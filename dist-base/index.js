/**
 * Rolltape as a library: record, discount and export in this process, run the proxy inside it, or run agents in episodes
 * against one.
 */
export { AdminClient, } from "./client/admin-client.js";
export { ConnectionPool } from "./client/connection-pool.js";
export { ProxyError } from "./client/errors.js";
export { Interaction } from "./client/interaction.js";
export { SessionClient } from "./client/session-client.js";
export { HttpTransport } from "./client/transport.js";
export { ConfigError, parseConfig, resolveConfig } from "./config/index.js";
export { EngineError, } from "./engine/engine.js";
export { createEmbeddedEngine, createSglangEngine, createVllmEngine, ensureTinyModel } from "./engine/index.js";
export { TemplateError } from "./model/chat-model.js";
export { loadChatModel } from "./model/load-chat-model.js";
export { connectProxy } from "./rollout/connect.js";
export { RolloutController, } from "./rollout/controller/controller.js";
export { ControllerError } from "./rollout/controller/errors.js";
export { RolloutBatch } from "./rollout/controller/rollout-batch.js";
export { rejectionOf } from "./rollout/controller/task.js";
export { GroupedWorkflow } from "./rollout/grouped-workflow.js";
export { ProxyWorkflow } from "./rollout/proxy-workflow.js";
export { PythonAgent } from "./rollout/python/python-agent.js";
export { Rejection } from "./rollout/rejection.js";
export { resolveWorkflow } from "./rollout/resolve-workflow.js";
export { SubprocError } from "./rollout/subproc/errors.js";
export { ProcessPool } from "./rollout/subproc/process-pool.js";
export { ProgramAgent } from "./rollout/subproc/program-agent.js";
export { SubprocAgent } from "./rollout/subproc/subproc-agent.js";
export { WorkflowError } from "./rollout/workflow-error.js";
export { SchedulerError } from "./scheduler/errors.js";
export { parseJob } from "./scheduler/parse-job.js";
export { runScheduledJob } from "./scheduler/schedule.js";
export { createServer } from "./server/app.js";
export { startServer } from "./server/start.js";
export { Batch } from "./session/batch/batch.js";
export { SessionError } from "./session/errors.js";
export { SessionRegistry } from "./session/session-registry.js";
export { TrajectoryStore, } from "./session/trajectory-store.js";
//# sourceMappingURL=index.js.map