import { SESSIONS_FILE } from "../../admin-api/sessions-request.js";

/** Describes what the schemas of a route leave out. */
export interface OperationFacts {
  /** Name of the call in generated clients. */
  readonly id: string;
  readonly tag: Tag;
  /** Name of the schema of its body. */
  readonly request?: string;
  /** Name of the schema of its JSON answer. */
  readonly answer?: string;
  /** Answers that are not JSON, by media type. The key of a stream is `text/event-stream`. */
  readonly also?: Readonly<Record<string, OtherContent>>;
  /** Statuses of errors that this call has in addition to those of all calls with its kind of key. */
  readonly errors?: readonly number[];
}

export interface OtherContent {
  readonly description: string;
  readonly schema: object;
  readonly example?: string;
}

export const TAGS = {
  Models: "Model calls of agents, in the APIs of OpenAI, Anthropic and Google. They need a session key.",
  Sessions: "Capacity, sessions, rewards and transcripts.",
  Exports: "Training data of ended sessions.",
  Engine: "Engine servers, weights and their version.",
  Service: "Probes, metrics, and the removal of a server.",
} as const;

export type Tag = keyof typeof TAGS;

const MODEL_ERRORS = [404, 409, 410, 422, 429, 502, 504];
const EXPORT_ERRORS = [404, 409, 410, 422, 507];

const BINARY: OtherContent = {
  description:
    "A safetensors file. With `acknowledge`, and of a prepared batch, the header `x-rolltape-export-id` has its id.",
  schema: { type: "string", format: "binary", contentMediaType: "application/vnd.safetensors" },
};

const SESSIONS: OtherContent = {
  description: "A sessions file, from which `rolltape export --from` makes batches.",
  schema: { type: "string", format: "binary", contentMediaType: SESSIONS_FILE },
};

const sharedBatch = {
  type: "object",
  description: "A file in shared memory. Acknowledge it with `DELETE /export_batch/{id}`.",
  properties: { id: { type: "string" }, path: { type: "string" }, byte_length: { type: "integer" } },
  required: ["id", "path", "byte_length"],
};

const shared: OtherContent = {
  description: "With `transport: shm`: one file, or one per shard.",
  schema: {
    anyOf: [
      { $ref: "#/components/schemas/SharedBatch" },
      {
        type: "object",
        properties: { shards: { type: "array", items: { $ref: "#/components/schemas/SharedBatch" } } },
        required: ["shards"],
      },
    ],
  },
};

const preparedShard: OtherContent = {
  description: "Without `pack`: the episodes of the sessions. With `pack` and `transport: shm`: a file.",
  schema: {
    anyOf: [
      {
        type: "object",
        properties: { episodes: { type: "array", items: { type: "object" } } },
        required: ["episodes"],
      },
      { $ref: "#/components/schemas/SharedBatch" },
    ],
  },
};

const transcriptLines: OtherContent = {
  description:
    "A line of JSON for each session: a `SessionTranscript`, or `session_id` and `error` if it cannot be returned. Sessions after the first " +
    "8 MiB are left out; ask again for them.",
  schema: { type: "string" },
  example:
    '{"session_id":"math-k2v9-1",…,"interactions":[…]}\n{"session_id":"math-k2v9-2","error":{"code":"session_exported","message":"…"}}\n',
};

const optionalText = { type: ["string", "null"] };

const trajectories: OtherContent = {
  description: "With `format: json`.",
  schema: {
    type: "object",
    description: "docs/reference/http-api.md describes the further fields of the session and of its interactions.",
    properties: {
      session_id: { type: "string" },
      task_id: { type: "string" },
      group_id: optionalText,
      split: { type: "string", enum: ["train", "eval"] },
      interactions: {
        type: "object",
        description: "By id, in the order of their completion.",
        additionalProperties: {
          type: "object",
          properties: {
            interaction_id: { type: "string" },
            parent_id: optionalText,
            reward: { type: "number" },
            own_reward: { type: ["number", "null"] },
            finish_reason: { type: "string" },
          },
          required: ["interaction_id", "parent_id", "reward", "own_reward"],
          additionalProperties: true,
        },
      },
    },
    required: ["session_id", "interactions"],
    additionalProperties: true,
  },
};

/** Schemas that only {@link OPERATIONS} uses. */
export const EXTRA_SCHEMAS = { SharedBatch: sharedBatch };

/** A stream of server-sent events. Each `data` line has one JSON value of the API that the path belongs to. */
const events = (api: string, example: string): Readonly<Record<string, OtherContent>> => ({
  "text/event-stream": {
    description: `Server-sent events of ${api}. An error after the first output is an event too. Lines that begin with a colon keep the connection open.`,
    schema: { type: "string" },
    example,
  },
});

const CHAT_EVENTS = events("Chat Completions", 'data: {"object":"chat.completion.chunk",…}\n\ndata: [DONE]\n\n');
const RESPONSE_EVENTS = events("Responses", 'event: response.created\ndata: {"type":"response.created",…}\n\n');
const MESSAGE_EVENTS = events("Messages", 'event: message_start\ndata: {"type":"message_start",…}\n\n');
const CONTENT_EVENTS = events("generateContent", 'data: {"candidates":[…],…}\n\n');

const GOOGLE = "/v1beta/models";

/** Every described call, by method and path. A call that is missing here makes the description fail. */
export const OPERATIONS: Readonly<Record<string, OperationFacts>> = {
  "post /grant_capacity": { id: "grantCapacity", tag: "Sessions", request: "GrantRequest", answer: "Capacity" },
  "post /rl/start_session": {
    id: "startSession",
    tag: "Sessions",
    request: "StartSessionRequest",
    answer: "StartedSession",
    errors: [409, 429],
  },
  "post /rl/start_run": { id: "startRun", tag: "Sessions", request: "StartRunRequest", answer: "StartedRun" },
  "get /rl/runs/{id}/sessions": { id: "listRunSessions", tag: "Sessions", answer: "RunSessions" },
  "get /rl/current_session": { id: "getCurrentSession", tag: "Sessions", answer: "CurrentSession", errors: [404] },
  "post /rl/current_session": {
    id: "startCurrentSession",
    tag: "Sessions",
    request: "StartCurrentSessionRequest",
    answer: "CurrentSession",
    errors: [429],
  },
  "post /rl/set_reward": {
    id: "setReward",
    tag: "Sessions",
    request: "RewardRequest",
    answer: "Reward",
    errors: [409, 410],
  },
  "post /rl/end_session": {
    id: "endSession",
    tag: "Sessions",
    request: "EndSessionRequest",
    answer: "EndedSession",
    errors: [409, 410],
  },
  "get /rl/sessions": { id: "listSessions", tag: "Sessions", answer: "SessionList" },
  "get /rl/sessions/{id}": { id: "getSession", tag: "Sessions", answer: "Session", errors: [404, 410] },
  "delete /rl/sessions/{id}": {
    id: "deleteSession",
    tag: "Sessions",
    answer: "DeletedSession",
    errors: [404, 409, 410],
  },
  "post /rl/sessions/end": {
    id: "endSessions",
    tag: "Sessions",
    request: "EndSessionsRequest",
    answer: "EndedSessions",
  },
  "post /rl/sessions/{id}/take_over": {
    id: "takeOverSession",
    tag: "Sessions",
    request: "TakeOverRequest",
    answer: "TakenSession",
    errors: [404, 409, 410],
  },
  "get /rl/sessions/{id}/transcript": {
    id: "getTranscript",
    tag: "Sessions",
    answer: "SessionTranscript",
    errors: [404, 409, 410],
  },
  "post /rl/transcripts": {
    id: "getTranscripts",
    tag: "Sessions",
    request: "TranscriptsRequest",
    also: { "application/x-ndjson": transcriptLines },
  },
  "post /rl/set_version": {
    id: "setWeightVersion",
    tag: "Engine",
    request: "WeightVersionRequest",
    answer: "WeightVersion",
    errors: [409],
  },
  "get /rl/engine": { id: "getEngine", tag: "Engine", answer: "Engine" },
  "post /rl/engine/drain": engineCall("drainEngineServer", "DrainRequest", "EngineServer"),
  "post /rl/engine/restore": engineCall("restoreEngineServer", "RestoreRequest", "EngineServer"),
  "post /rl/engine/pause": engineCall("pauseEngine", "PauseRequest", "Engine"),
  "post /rl/engine/resume": engineCall("resumeEngine", "ResumeRequest", "Engine"),
  "get /rl/weights": { id: "getWeights", tag: "Engine", answer: "Weights", errors: [409] },
  "post /rl/weights": {
    ...engineCall("updateWeights", "UpdateWeightsRequest", "Weights"),
    errors: [404, 409, 422, 502],
  },
  "post /rl/weights/finish": engineCall("finishWeightUpdate", "FinishWeightsRequest", "Weights"),
  "delete /rl/weights": { id: "giveUpWeightUpdate", tag: "Engine", answer: "Weights", errors: [409] },
  "post /rl/weights/step": {
    ...engineCall("takeWeightStep", "WeightStepRequest", "WeightStep"),
    errors: [404, 409, 422, 502],
  },
  "post /v1/chat/completions": {
    id: "createChatCompletion",
    tag: "Models",
    request: "ChatCompletionRequest",
    answer: "ChatCompletion",
    also: CHAT_EVENTS,
    errors: MODEL_ERRORS,
  },
  "post /v1/completions": {
    id: "createCompletion",
    tag: "Models",
    request: "CompletionRequest",
    answer: "Completion",
    errors: MODEL_ERRORS,
  },
  "post /inference/v1/generate": {
    id: "generate",
    tag: "Models",
    request: "GenerateRequest",
    answer: "GenerateResponse",
    errors: MODEL_ERRORS,
  },
  "post /v1/responses": {
    id: "createResponse",
    tag: "Models",
    request: "ResponseRequest",
    answer: "Response",
    also: RESPONSE_EVENTS,
    errors: MODEL_ERRORS,
  },
  "get /v1/responses/{id}": { id: "getResponse", tag: "Models", answer: "Response", errors: [404, 410, 429] },
  "post /v1/messages": {
    id: "createMessage",
    tag: "Models",
    request: "MessageRequest",
    answer: "Message",
    also: MESSAGE_EVENTS,
    errors: MODEL_ERRORS,
  },
  "post /v1/messages/count_tokens": {
    id: "countMessageTokens",
    tag: "Models",
    request: "CountMessageTokensRequest",
    answer: "MessageTokens",
    errors: MODEL_ERRORS,
  },
  [`post ${GOOGLE}/{model}:generateContent`]: {
    id: "generateContent",
    tag: "Models",
    request: "GenerateContentRequest",
    answer: "GenerateContentResponse",
    errors: MODEL_ERRORS,
  },
  [`post ${GOOGLE}/{model}:streamGenerateContent`]: {
    id: "streamGenerateContent",
    tag: "Models",
    request: "GenerateContentRequest",
    also: {
      "application/json": {
        description: "Without `alt=sse`: one array of partial answers, written as they come.",
        schema: { type: "array", items: { $ref: "#/components/schemas/GenerateContentResponse" } },
      },
      ...CONTENT_EVENTS,
    },
    errors: MODEL_ERRORS,
  },
  [`post ${GOOGLE}/{model}:countTokens`]: {
    id: "countContentTokens",
    tag: "Models",
    request: "CountContentTokensRequest",
    answer: "ContentTokens",
    errors: MODEL_ERRORS,
  },
  "get /v1/models": { id: "listModels", tag: "Models", answer: "ModelList" },
  "get /v1/models/{model}": { id: "getModel", tag: "Models", answer: "Model" },
  [`get ${GOOGLE}`]: { id: "listGoogleModels", tag: "Models", answer: "GoogleModelList" },
  [`get ${GOOGLE}/{model}`]: { id: "getGoogleModel", tag: "Models", answer: "GoogleModel" },
  "post /export_trajectories": {
    id: "exportTrajectories",
    tag: "Exports",
    request: "ExportTrajectoriesRequest",
    also: { "application/json": trajectories, "application/vnd.safetensors": BINARY },
    errors: EXPORT_ERRORS,
  },
  "post /export_batch": {
    id: "exportBatch",
    tag: "Exports",
    request: "ExportBatchRequest",
    also: { "application/vnd.safetensors": BINARY, "application/json": shared },
    errors: EXPORT_ERRORS,
  },
  "post /export_sessions": {
    id: "exportSessions",
    tag: "Exports",
    request: "ExportSessionsRequest",
    also: { [SESSIONS_FILE]: SESSIONS },
    errors: EXPORT_ERRORS,
  },
  "delete /export_batch/{id}": {
    id: "acknowledgeBatch",
    tag: "Exports",
    answer: "BatchId",
    errors: [404, 410],
  },
  "post /export_batch/ready": {
    id: "waitUntilExportable",
    tag: "Exports",
    request: "ExportReadyRequest",
    answer: "ExportReady",
    errors: EXPORT_ERRORS,
  },
  "post /export_batch/prepare": {
    id: "prepareBatch",
    tag: "Exports",
    request: "PrepareBatchRequest",
    also: { [SESSIONS_FILE]: SESSIONS },
    errors: EXPORT_ERRORS,
  },
  "post /export_batch/prepare_shard": {
    id: "prepareShard",
    tag: "Exports",
    request: "PrepareShardRequest",
    also: { "application/vnd.safetensors": BINARY, "application/json": preparedShard },
    errors: EXPORT_ERRORS,
  },
  "post /export_batch/{id}/settle": {
    id: "settleBatch",
    tag: "Exports",
    request: "SettleBatchRequest",
    answer: "BatchId",
    errors: [404],
  },
  "post /rl/cordon": { id: "cordon", tag: "Service", request: "CordonRequest", answer: "CordonState" },
  "post /rl/uncordon": { id: "uncordon", tag: "Service", request: "UncordonRequest", answer: "CordonState" },
  "get /livez": { id: "getLiveness", tag: "Service", answer: "Liveness" },
  "get /readyz": { id: "getReadiness", tag: "Service", answer: "Readiness" },
  "get /health": { id: "getHealth", tag: "Service", answer: "Readiness" },
  "get /metrics": {
    id: "getMetrics",
    tag: "Service",
    also: { "text/plain": { description: "Prometheus' text format.", schema: { type: "string" } } },
  },
};

function engineCall(id: string, request: string, answer: string): OperationFacts {
  return { id, tag: "Engine", request, answer, errors: [404, 409, 502] };
}

/** Names of schemas inside others, by the path to them. Wherever the same schema occurs, it gets the name. */
export const INNER_SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  GoogleModel: ["GoogleModelList", "properties", "models", "items"],
  ChatMessage: ["ChatCompletionRequest", "properties", "messages", "items"],
  ChatTool: ["ChatCompletionRequest", "properties", "tools", "items"],
  MessageParam: ["MessageRequest", "properties", "messages", "items"],
  Content: ["GenerateContentRequest", "properties", "contents", "items"],
};
