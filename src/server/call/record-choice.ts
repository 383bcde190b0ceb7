import type { Conversation, Message } from "../../conversation/message.js";
import type { GenerateResult } from "../../engine/engine.js";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import { joinDropped } from "../../protocols/server-tools.js";
import type { ServerContext } from "../context.js";
import type { ReadOutput } from "./answer-reader.js";
import type { Choice } from "./choices.js";
import { type CompletedSampling, toRecordedSampling } from "./complete-sampling.js";
import type { GenerationJob, GenerationOutcome } from "./generate.js";
import type { CallRecord } from "./model-call.js";

/** The generation of one choice of a call. */
export interface ChoiceJob extends GenerationJob {
  readonly choice: Choice;
  readonly completed: CompletedSampling;
}

/** Records a generated choice as an interaction. */
export function recordChoice(context: ServerContext, job: ChoiceJob, outcome: GenerationOutcome): CallRecord {
  const { call, choice, turn, completed, start } = job;
  const { session, request, api, startedAt } = call;
  const { choices = 1 } = request;
  const { result, output, tokens, generation, sampling } = outcome;
  const completionTokens = generation.length;
  const finishReason = toFinishReason(result, output);

  const interaction = turn.record({
    output: [prependPrefill(output.message, request.conversation)],
    generation,
    finishReason,
    api,
    id: choice.id,
    request: choice.inFlight.attempt.request,
    sampling: toRecordedSampling(sampling, completed, result.logprobs),
    requestedModel: request.model,
    droppedTools: request.droppedTools.length === 0 ? undefined : joinDropped(request.droppedTools),
    toolCount: request.conversation.tools?.length ?? 0,
    tag: call.origin.tag,
    hints: call.origin.hints,
    placeholders: request.placeholders || undefined,
    choice: choices > 1 ? choice.index : undefined,
    choices: choices > 1 ? choices : undefined,
    attempt: call.retry.retryCount,
    resumes: result.resumes,
    versionsUncertain: result.versionsUncertain || undefined,
    startedAt,
    stopString: output.stopString,
  });
  session.calls.recorded(choice.inFlight, interaction.index);
  const { message, parts, stopString, reasoningTokens, toolCalls } = output;
  const { promptTokens } = start;
  context.metrics.countRecorded({
    interaction,
    fallback: turn.fallback,
    result,
    promptTokens,
    completionTokens,
    toolCalls,
  });

  context.rerendered.count(interaction);

  const cachedTokens = result.cachedTokens ?? 0;
  const answer: GenerationAnswer = {
    interactionId: start.interactionId,
    model: start.model,
    createdAt: start.createdAt,
    promptTokens,
    message,
    parts,
    stopString,
    finishReason,
    completionTokens,
    reasoningTokens,
    cachedTokens,
    tokens,
  };
  return { answer, interaction, unsent: output };
}

/** Malformed tool calls stay in the text. One well-formed call is enough for `tool_calls`. */
function toFinishReason({ finish }: GenerateResult, { message }: ReadOutput): GenerationAnswer["finishReason"] {
  return finish.reason === "stop" && message.toolCalls !== undefined ? "tool_calls" : finish.reason;
}

/** Returns the whole answer. The client has sent its beginning as prefill and receives the rest; later requests have both. */
function prependPrefill(message: Message, { prefill = "" }: Conversation): Message {
  return prefill === "" ? message : { ...message, content: prefill + message.content };
}
