import { randomUUID } from "node:crypto";
import type { Conversation, Message } from "../../conversation/message.js";
import type { GenerateResult } from "../../engine/engine.js";
import { ApiError } from "../../http/errors.js";
import type { AnswerStart, GenerationAnswer } from "../../protocols/generation.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { Call, RequestIdentity } from "../../session/calls.js";
import { SessionError } from "../../session/errors.js";
import type { Api, Interaction } from "../../session/interaction.js";
import { hashKey } from "../../session/keys.js";
import type { PreparedMessages, Session } from "../../session/session.js";
import { keepSpelling } from "../../support/json/spelled.js";
import type { ServerContext } from "../context.js";
import { contextLimit } from "./context-limit.js";
import { generate } from "./generate.js";
import { grammarFor } from "./grammar.js";
import type { OutputSink, ReadOutput } from "./output-reader.js";
import { buildPrompt } from "./prompt.js";
import { completeSampling, toRecordedSampling } from "./sampling.js";

/** One model call, whatever its protocol. */
export interface ModelCall {
  readonly session: Session;
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt: number;
  /** Which earlier request this one repeats, if any. */
  readonly retry: Omit<RequestIdentity, "requestKey">;
  /** Aborts when the agent's connection drops. */
  readonly disconnected: AbortSignal;
  /** Told of a field that asks for something that the engine cannot be made to do, and that is harmless. */
  readonly onUnenforced: (field: string) => void;
  /** Told of the sampling fields whose value the configuration replaced, before the engine is asked. */
  readonly onOverridden: (fields: readonly string[]) => void;
  /** Who is told the output while it is generated. */
  readonly sink?: AnswerSink | undefined;
}

export interface AnswerSink extends OutputSink {
  /** Whether the operating system has all content of a recorded answer. */
  readonly delivered: boolean;
  /** The prompt is built and goes to the engine. `advance` is to be called when there is room again. */
  start(start: AnswerStart, advance: () => void): void;
}

/** A call that was recorded. */
export interface CallRecord {
  readonly answer: GenerationAnswer;
  readonly interaction: Interaction;
  /** The end of the output, which the sink was not told yet. */
  readonly rest: Pick<ReadOutput, "rest" | "restTokens">;
}

/**
 * Runs a model call: prompt, engine, record. It is recorded once the generation is complete and the agent still listens.
 * A call that fails anywhere is not recorded; the session only counts those whose client left.
 */
export async function runModelCall(context: ServerContext, request: ModelCall): Promise<CallRecord> {
  const { session, disconnected } = request;
  if (context.draining) throw new ApiError("server_draining", "The server is shutting down.");
  if (session.state !== "active") {
    throw new SessionError("session_ended", `Session ${session.id} is ${session.state} and takes no more model calls.`);
  }
  const prepared = session.prepare(request.request.conversation, request.request.previousId);
  const call = session.calls.begin({
    requestKey: requestKey(request, prepared),
    ...request.retry,
  });
  let record: CallRecord | undefined;
  const onDisconnect = () => {
    if (!record) call.controller.abort(disconnected.reason);
    else if (!request.sink?.delivered) session.delivery.closedEarly(record.interaction.index);
  };
  if (disconnected.aborted) onDisconnect();
  disconnected.addEventListener("abort", onDisconnect);
  try {
    record = await generateAndRecord(context, request, prepared, call.controller);
    return record;
  } finally {
    // Before the call ends: an export waits for that, and counts.
    if (!record && wasLeft(call, request)) session.abortedCalls++;
    session.calls.end(call, record?.interaction.index);
    session.touch();
    const outcome = record ? "recorded" : call.controller.signal.aborted ? "aborted" : "failed";
    context.metrics.calls.inc({ api: request.api, outcome });
  }
}

/** Returns true if the call was aborted because its client disconnected, not by an export or by the client's own retry. */
function wasLeft({ controller: { signal } }: Call, { disconnected }: ModelCall): boolean {
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

/**
 * Digest of everything that the request asks for. An SDK that repeats a request changes none of it; a side call with the
 * same messages, but other tools or sampling, is another request.
 */
function requestKey({ api, request }: ModelCall, { digests, toolsKey, templateArgs }: PreparedMessages): string {
  const { conversation, previousId, model, sampling, calls, logprobs, stream } = request;
  // The chain digest of the last message covers them all.
  const messages = Buffer.from(digests.subarray(-16)).toString("base64url");
  const context = [
    previousId,
    conversation.prefill,
    toolsKey,
    templateArgs,
    calls.mustCall,
    calls.single,
    [...calls.strict],
  ];
  return hashKey(JSON.stringify([messages, ...context, api, model, sampling, logprobs, stream], keepSpelling));
}

/** The agent is told the end of an answer that its request began; the conversation goes on with all of it. */
function wholeAnswer(message: Message, { prefill = "" }: Conversation): Message {
  return prefill === "" ? message : { ...message, content: prefill + message.content };
}
