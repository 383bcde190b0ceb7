import { randomUUID } from "node:crypto";
import type { Conversation, Message } from "../../conversation/message.js";
import type { GenerateResult } from "../../engine/engine.js";
import type { AnswerStart, GenerationAnswer } from "../../protocols/generation-answer.js";
import { joinDropped } from "../../protocols/server-tools.js";
import type { InFlightCall } from "../../session/calls-in-flight.js";
import type { PreparedMessages } from "../../session/completed-call.js";
import type { Interaction } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import { TOKEN_BYTES } from "../../session/session-size.js";
import { runInTurns } from "../../support/async/steps.js";
import { turns } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";
import { buildGrammar } from "./build-grammar.js";
import { type BuiltPrompt, buildPrompt } from "./build-prompt.js";
import { completeSampling, toRecordedSampling } from "./complete-sampling.js";
import { readContextLimit } from "./context-limit.js";
import { generate } from "./generate.js";
import type { CallRecord, ModelCall } from "./model-call.js";
import type { ReadOutput } from "./output-reader.js";
import { measurePrompt, type PromptSize } from "./prompt-size.js";
import { computeRequestKey } from "./request-key.js";
import { requireOpen } from "./require-open.js";

/**
 * Runs a model call: builds the prompt, has the engine generate, records the interaction.
 *
 * The call is recorded once the generation is complete, if the client is still connected. A call that fails at any step
 * leaves nothing but a count.
 */
export async function runModelCall(context: ServerContext, call: ModelCall): Promise<CallRecord> {
  const { session, request, disconnected } = call;
  const size = measurePrompt(context, request.conversation);
  if (size.isLong) await turns.next();
  requireOpen(context, session);
  const prepared = await runInTurns(session.prepareInSteps(request.conversation, request.previousId));
  // The session may have ended between the steps.
  requireOpen(context, session);
  const inFlight = session.calls.begin({ requestKey: computeRequestKey(call, prepared), ...call.retry });
  let record: CallRecord | undefined;
  const onDisconnect = () => {
    if (!record) inFlight.controller.abort(disconnected.reason);
    else if (call.sink?.delivered) session.delivery.answered(record.interaction.index);
    else session.delivery.closedEarly(record.interaction.index);
  };
  // A signal that has aborted already calls no listener.
  if (disconnected.aborted) onDisconnect();
  disconnected.addEventListener("abort", onDisconnect);
  try {
    record = await generateAndRecord(context, call, { prepared, size }, inFlight);
    // The client may have left while the interaction went to disk.
    if (disconnected.aborted) onDisconnect();
    return record;
  } finally {
    // Before the call ends: an export that waits for the end reads this count.
    if (!record && isAbortedByClient(inFlight, call)) session.abortedCalls++;
    session.calls.end(inFlight, record?.interaction.index);
    session.touch();
    const outcome = record ? "recorded" : inFlight.controller.signal.aborted ? "aborted" : "failed";
    context.metrics.calls.inc({ api: call.api, outcome });
  }
}

/** Returns true if the call was aborted because its client disconnected, not by an export or by the client's own retry. */
function isAbortedByClient({ controller: { signal } }: InFlightCall, { disconnected }: ModelCall): boolean {
  return disconnected.aborted && signal.reason === disconnected.reason;
}

async function generateAndRecord(
  context: ServerContext,
  call: ModelCall,
  { prepared, size }: { readonly prepared: PreparedMessages; readonly size: PromptSize },
  { attempt, controller }: InFlightCall,
): Promise<CallRecord> {
  const { session, request, api, startedAt } = call;
  const { modelName } = context.settings;
  const id = `${call.idPrefix}${randomUUID().replaceAll("-", "")}`;
  // The prepared messages are the same objects as in earlier requests. Caches find earlier results by these objects.
  const conversation = { ...request.conversation, messages: prepared.messages };

  const limit = await readContextLimit(context);
  const { signal } = controller;
  const built = await buildPrompt(context, { session, conversation, prepared, size, limit, api, signal });
  const { parent, fallback, prompt } = built;
  const promptTokens = prompt.length;
  admitPrompt(call, prepared, built);

  const grammar = buildGrammar(context, call, built);
  const sampling = completeSampling(context, request.sampling, { tokensLeft: limit - promptTokens, grammar });
  if (sampling.overridden.length > 0) call.onOverridden(sampling.overridden);

  const start: AnswerStart = { interactionId: id, model: modelName, createdAt: startedAt, promptTokens };
  const generated = await generate(context, { call, built, sampling: sampling.params, start, controller });
  const { result, output, tokens, generation } = generated;
  const completionTokens = generation.length;
  const finishReason = toFinishReason(result, output);

  const interaction = session.record({
    prepared,
    output: [prependPrefill(output.message, conversation)],
    prompt,
    generation,
    finishReason,
    api,
    id,
    request: attempt.request,
    parent,
    fallback,
    sampling: toRecordedSampling(sampling, result.logprobs),
    requestedModel: request.model,
    droppedTools: request.droppedTools.length === 0 ? undefined : joinDropped(request.droppedTools),
    toolCount: request.conversation.tools?.length ?? 0,
    ...call.origin,
    placeholders: request.placeholders || undefined,
    attempt: call.retry.retryCount,
    resumes: result.resumes,
    startedAt,
  });
  const { message, parts, stopString, reasoningTokens, toolCalls } = output;
  context.metrics.countRecorded({ interaction, fallback, result, promptTokens, completionTokens, toolCalls });

  const cachedTokens = result.cachedTokens ?? 0;
  const end = { message, parts, stopString, finishReason, completionTokens, reasoningTokens, cachedTokens, tokens };
  const record: CallRecord = { answer: { ...start, ...end }, interaction, unsent: output };
  const saving = call.onRecorded?.(record);
  await whenStored(context, session, interaction, saving);
  return record;
}

/**
 * Waits until the interaction is on disk, if sessions are stored. If the disk refuses it, the answer is not sent.
 *
 * @param saving resolves when everything that belongs to the interaction was given to the storage
 */
async function whenStored(
  { registry }: ServerContext,
  session: Session,
  { index }: Interaction,
  saving: Promise<void> | undefined,
): Promise<void> {
  try {
    if (saving) await saving;
    await registry.flushed();
  } catch (error) {
    session.delivery.closedEarly(index);
    throw error;
  }
}

/** Counts the prompt for its session and the store. If there is no room, refuses the call before it reaches the engine. */
function admitPrompt(
  { session, admitted, measureKept = () => 0 }: ModelCall,
  prepared: PreparedMessages,
  { prompt, parent }: BuiltPrompt,
): void {
  try {
    const { tokens, bytes } = session.measureGrowth(prepared, prompt, parent);
    admitted?.addPrompt({ tokens, bytes: bytes + measureKept() }, TOKEN_BYTES * prompt.length);
  } catch (error) {
    prompt.release();
    throw error;
  }
}

/** Malformed tool calls stay in the text. One well-formed call is enough for `tool_calls`. */
function toFinishReason({ finish }: GenerateResult, { message }: ReadOutput): GenerationAnswer["finishReason"] {
  return finish.reason === "stop" && message.toolCalls !== undefined ? "tool_calls" : finish.reason;
}

/** Returns the whole answer. The client has sent its beginning as prefill and receives the rest; later requests have both. */
function prependPrefill(message: Message, { prefill = "" }: Conversation): Message {
  return prefill === "" ? message : { ...message, content: prefill + message.content };
}
