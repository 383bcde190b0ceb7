import type { Api } from "../../facts/call-facts.js";
import type { Trace } from "../../telemetry/trace.js";
import type { RecordedChoice } from "./answer-reader.js";
import type { Call } from "./call.js";

/** `gen_ai.operation.name` of each API. */
const OPERATIONS: Readonly<Record<Api, string>> = {
  "chat.completions": "chat",
  responses: "chat",
  messages: "chat",
  generate_content: "generate_content",
  completions: "text_completion",
  generate: "text_completion",
};

/** Makes the span of a request that of a model call. No span contains texts, tokens or keys. */
export function describeCall(trace: Trace, { services, session, request, api, stream }: Call): void {
  const { choices = 1, model } = request;
  const operation = OPERATIONS[api];
  trace.rename(`${operation} ${services.settings.modelName}`);
  trace.set({
    operation,
    provider: services.engine.type,
    requestModel: model ?? undefined,
    sessionId: session.id,
    choices: choices > 1 ? choices : undefined,
    isStreamed: stream !== undefined,
    api,
  });
}

/** Adds the answers of a model call to its span. */
export function describeAnswers(trace: Trace, records: readonly RecordedChoice[]): void {
  const [first] = records;
  if (!first) return;
  const { interactionId, model, promptTokens, cachedTokens } = first.answer;
  trace.set({
    responseModel: model,
    responseId: interactionId,
    finishReasons: records.map(({ answer }) => answer.finishReason),
    inputTokens: promptTokens,
    outputTokens: records.reduce((sum, { answer }) => sum + answer.completionTokens, 0),
    cachedTokens,
  });
}
