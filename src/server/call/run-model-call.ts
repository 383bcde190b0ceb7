import { randomUUID } from "node:crypto";
import type { Conversation, Message } from "../../conversation/message.js";
import type { GenerateResult } from "../../engine/engine.js";
import { ApiError } from "../../http/errors.js";
import type { AnswerStart, GenerationAnswer } from "../../protocols/generation-answer.js";
import type { InFlightCall } from "../../session/calls.js";
import { SessionError } from "../../session/errors.js";
import type { PreparedMessages } from "../../session/session.js";
import type { ServerContext } from "../context.js";
import { contextLimit } from "./context-limit.js";
import { generate } from "./generate.js";
import { grammarFor } from "./grammar.js";
import type { CallRecord, ModelCall } from "./model-call.js";
import type { ReadOutput } from "./output-reader.js";
import { buildPrompt } from "./prompt.js";
import { requestKey } from "./request-key.js";
import { completeSampling, toRecordedSampling } from "./sampling.js";

/**
 * Runs a model call: prompt, engine, record. It is recorded once the generation is complete and the agent still listens.
 * A call that fails anywhere is not recorded; the session only counts those whose client left.
 */
export async function runModelCall(context: ServerContext, call: ModelCall): Promise<CallRecord> {
  const { session, request, disconnected } = call;
  if (context.draining) throw new ApiError("server_draining", "The server is shutting down.");
  if (session.state !== "active") {
    throw new SessionError("session_ended", `Session ${session.id} is ${session.state} and takes no more model calls.`);
  }
  const prepared = session.prepare(request.conversation, request.previousId);
  const inFlight = session.calls.begin({ requestKey: requestKey(call, prepared), ...call.retry });
  let record: CallRecord | undefined;
  const onDisconnect = () => {
    if (!record) inFlight.controller.abort(disconnected.reason);
    else if (!call.sink?.delivered) session.delivery.closedEarly(record.interaction.index);
  };
  if (disconnected.aborted) onDisconnect();
  disconnected.addEventListener("abort", onDisconnect);
  try {
    record = await generateAndRecord(context, call, prepared, inFlight.controller);
    return record;
  } finally {
    // Before the call ends: an export waits for that, and counts.
    if (!record && wasLeft(inFlight, call)) session.abortedCalls++;
    session.calls.end(inFlight, record?.interaction.index);
    session.touch();
    const outcome = record ? "recorded" : inFlight.controller.signal.aborted ? "aborted" : "failed";
    context.metrics.calls.inc({ api: call.api, outcome });
  }
}

/** Returns true if the call was aborted because its client disconnected, not by an export or by the client's own retry. */
function wasLeft({ controller: { signal } }: InFlightCall, { disconnected }: ModelCall): boolean {
  return disconnected.aborted && signal.reason === disconnected.reason;
}

async function generateAndRecord(
  context: ServerContext,
  call: ModelCall,
  prepared: PreparedMessages,
  controller: AbortController,
): Promise<CallRecord> {
  const { session, request, api, startedAt } = call;
  const id = `${call.idPrefix}${randomUUID().replaceAll("-", "")}`;
  // Its messages are the same objects as in earlier requests, by which is known what was made of them then.
  const conversation = { ...request.conversation, messages: prepared.messages };
  const limit = await contextLimit(context);
  const built = await buildPrompt(context, { session, conversation, prepared, limit, api, signal: controller.signal });
  const promptTokens = built.prompt.length;
  const grammar = grammarFor(context, call, built);
  const sampling = completeSampling(context, request.sampling, { left: limit - promptTokens, grammar });
  if (sampling.overridden.length > 0) call.onOverridden(sampling.overridden);
  const { modelName } = context.settings;
  const start: AnswerStart = { interactionId: id, model: modelName, createdAt: startedAt, promptTokens };
  const generated = await generate(context, { call, built, sampling: sampling.params, start, controller });
  const { result, output, tokens, generation } = generated;
  const completionTokens = generation.length;
  const finishReason = finishOf(result, output);
  const interaction = session.record({
    prepared,
    output: [wholeAnswer(output.message, conversation)],
    prompt: built.prompt,
    generation,
    finishReason,
    api,
    id,
    parent: built.parent,
    fallback: built.fallback,
    sampling: toRecordedSampling(sampling, result.logprobs),
    requestedModel: request.model,
    attempt: call.retry.retryCount,
    resumes: result.resumes,
    startedAt,
  });
  const { toolCalls } = output;
  const { fallback } = built;
  context.metrics.countRecorded({ interaction, fallback, result, promptTokens, completionTokens, toolCalls });
  const { message, parts, stopString, reasoningTokens } = output;
  const cachedTokens = result.cachedTokens ?? 0;
  const end = { message, parts, stopString, finishReason, completionTokens, reasoningTokens, cachedTokens, tokens };
  return { answer: { ...start, ...end }, interaction, rest: output };
}

/** Malformed calls are text: one that is well formed beside them is to be answered all the same. */
function finishOf({ finish }: GenerateResult, { message }: ReadOutput): GenerationAnswer["finishReason"] {
  return finish.reason === "stop" && message.toolCalls !== undefined ? "tool_calls" : finish.reason;
}

/** The agent is told the end of an answer that its request began; the conversation goes on with all of it. */
function wholeAnswer(message: Message, { prefill = "" }: Conversation): Message {
  return prefill === "" ? message : { ...message, content: prefill + message.content };
}
