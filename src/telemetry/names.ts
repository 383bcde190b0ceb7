/**
 * The names of attributes, after OpenTelemetry's semantic conventions. A name that differs between the conventions for GenAI 1.36 and
 * the latest ones has both, or null if the older ones have none.
 */
const ATTRIBUTES = {
  /** `chat`, `text_completion`, `generate_content`; `invoke_agent` for an episode. */
  operation: "gen_ai.operation.name",
  /** The type of the engine. */
  provider: { before: "gen_ai.system", latest: "gen_ai.provider.name" },
  requestModel: "gen_ai.request.model",
  responseModel: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  sessionId: "gen_ai.conversation.id",
  choices: "gen_ai.request.choice.count",
  isStreamed: { before: null, latest: "gen_ai.request.stream" },
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cachedTokens: { before: null, latest: "gen_ai.usage.cache_read.input_tokens" },
  errorType: "error.type",
  method: "http.request.method",
  route: "http.route",
  status: "http.response.status_code",
  api: "rolltape.api",
  choice: "rolltape.choice",
  exportedSessions: "rolltape.export.sessions",
  taskId: "rolltape.task.id",
  groupId: "rolltape.group.id",
} as const;

export type AttributeKey = keyof typeof ATTRIBUTES;

/** The name of each attribute; null for those that the chosen conventions do not have. */
export type AttributeNames = Readonly<Record<AttributeKey, string | null>>;

/** The steps of a trace. Each becomes a child span of this name. */
export type StepName = "render" | "queue" | "engine" | "parse" | "disk" | "wait" | "pack";

/** The value of `OTEL_SEMCONV_STABILITY_OPT_IN` that selects the latest conventions for GenAI. */
const LATEST = "gen_ai_latest_experimental";

/** Returns the names of attributes that the environment selects, as the conventions ask of instrumentations. */
export function readAttributeNames({ OTEL_SEMCONV_STABILITY_OPT_IN: optIn = "" }: NodeJS.ProcessEnv): AttributeNames {
  const isLatest = optIn.split(",").some((value) => value.trim() === LATEST);
  const names = Object.entries(ATTRIBUTES).map(([key, name]) => {
    if (typeof name === "string") return [key, name];
    return [key, isLatest ? name.latest : name.before];
  });
  return Object.fromEntries(names) as AttributeNames;
}
