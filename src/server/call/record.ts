import type { FastifyBaseLogger } from "fastify";
import { showAsText } from "../../conversation/media.js";
import type { Conversation, Message } from "../../conversation/message.js";
import { type Engine, EngineError, type GenerateResult, type LogprobContent } from "../../engine/engine.js";
import { expertIndexBytes } from "../../facts/channels.js";
import { type RecordedSampling, recordedTemperature, recordSampling } from "../../facts/recorded-sampling.js";
import { isTruncated } from "../../facts/sampling.js";
import type { NativeGeneration } from "../../native/contract.js";
import type { GenerationAnswer } from "../../protocols/generation-answer.js";
import type { AnsweredExperts } from "../../protocols/routed-experts.js";
import { joinDropped } from "../../protocols/server-tools.js";
import type { ReadOutput, RecordedChoice } from "./answer-reader.js";
import type { Call } from "./call.js";
import type { Choice, GeneratedChoice } from "./generation.js";
import { type CallSampling, countRecordedTop } from "./sampling.js";

/** Records the generated choices of a call as interactions. */
export function recordChoices(
  call: Call,
  generated: readonly GeneratedChoice[],
  sampling: CallSampling,
): readonly RecordedChoice[] {
  return generated.map((each) => recordChoice(call, each, sampling));
}

function recordChoice(call: Call, generated: GeneratedChoice, { isOverridden }: CallSampling): RecordedChoice {
  const { session, request, api, origin, turn, services } = call;
  const { choices = 1, conversation } = request;
  const { choice, result, output, tokens } = generated;
  const { begun, generation, start } = choice;
  const completionTokens = generation.length;
  requireNoImageTokens(call, generation);
  // The answer has its own copies of the alternatives that it shows.
  const recordedTop = countRecordedTop(call);
  if (recordedTop > 0) generation.recordTop(recordedTop);
  const finishReason = toFinishReason(result, output);

  const interaction = turn.record({
    images: request.images,
    output: [prependPrefill(output.message, conversation)],
    generation,
    finishReason,
    api,
    id: choice.id,
    request: begun.inFlight.attempt.request,
    sampling: toRecordedSampling(choice, isOverridden, result.logprobs),
    requestedModel: services.answering?.name ?? request.model,
    droppedTools: request.droppedTools.length === 0 ? undefined : joinDropped(request.droppedTools),
    toolCount: conversation.tools?.length ?? 0,
    tag: origin.tag,
    hints: origin.hints,
    placeholders: request.placeholders || undefined,
    choice: choices > 1 ? begun.index : undefined,
    choices: choices > 1 ? choices : undefined,
    attempt: origin.retryCount,
    resumes: result.resumes,
    versionsUncertain: result.versionsUncertain || undefined,
    startedAt: call.startedAt,
    stopString: output.stopString,
    frozen: services.answering?.frozen,
  });
  session.calls.recorded(begun.inFlight, interaction.index);
  const { message, parts, stopString, reasoningTokens, toolCalls } = output;
  const { promptTokens } = start;
  services.metrics.countRecorded({
    model: services.answering?.name,
    interaction,
    fallback: turn.fallback,
    result,
    promptTokens,
    completionTokens,
    toolCalls,
  });
  services.rerendered.count(interaction);

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
    cachedTokens: result.cachedTokens ?? 0,
    tokens,
    promptIds: start.promptIds,
    experts: request.routedExperts ? readExperts(call, interaction.index, promptTokens + completionTokens) : undefined,
    sampled: request.tokenIds ? session.tokens.output(interaction.index) : undefined,
  };
  return { answer, interaction, unsent: output };
}

/**
 * @throws EngineError if the output has tokens that stand for images: no image belongs to them, so a trainer cannot use the row. They have a
 *   bias that keeps engines from sampling them
 */
function requireNoImageTokens({ services: { imageTokens } }: Call, generation: NativeGeneration): void {
  if (!imageTokens) return;
  const ids = generation.ids();
  const sampled = imageTokens.model.reservedIds.find((id) => ids.includes(id));
  if (sampled === undefined) return;
  throw new EngineError(
    "engine_error",
    `The engine sampled token ${sampled}, which stands for an image, despite its bias.`,
  );
}

/** Returns the experts of all tokens but the last, on which the engine did not run; null if some were not recorded. */
function readExperts({ session, services }: Call, index: number, tokens: number): AnsweredExperts | null {
  const { recordedExperts: model } = services.engine;
  const values = session.tokens.allItems(index, "routed_experts", tokens - 1);
  if (!model || !values) return null;
  const { layers, topK, experts } = model;
  return { layers, topK, indexBytes: expertIndexBytes(experts), values };
}

/** Malformed tool calls stay in the text. One well-formed call is enough for `tool_calls`. */
function toFinishReason({ finish }: GenerateResult, { message }: ReadOutput): GenerationAnswer["finishReason"] {
  return finish.reason === "stop" && message.toolCalls !== undefined ? "tool_calls" : finish.reason;
}

/** Returns the whole answer. The client has sent its beginning as prefill and receives the rest; later requests have both. */
function prependPrefill(message: Message, { prefill = "" }: Conversation): Message {
  return prefill === "" ? message : { ...message, content: prefill + showAsText(message.content) };
}

/** Returns the sampling that the engine followed. */
function toRecordedSampling(
  { followed: params }: Choice,
  overridden: boolean,
  logprobs: LogprobContent,
): RecordedSampling {
  const { temperature } = params;
  return recordSampling(params, {
    temperature: recordedTemperature(temperature, logprobs),
    samplingTemperature: temperature,
    greedy: temperature === 0,
    seed: params.seed,
    logitBias: params.logitBias.length > 0,
    thinkingBudget: params.thinkingBudget,
    maxTokens: params.maxTokens,
    grammar: params.grammar !== undefined,
    logprobs,
    overridden,
  });
}

/**
 * Waits until the interactions are on disk, if sessions are stored, and until what the protocol keeps with them is. If the disk
 * refuses them, the answer is not sent.
 */
export async function whenStored(
  { services, session, protocol }: Call,
  records: readonly RecordedChoice[],
): Promise<void> {
  // Resolve when everything that belongs to an interaction was given to the storage.
  const saving = records.flatMap((record) => protocol.onRecorded?.(record) ?? []);
  if (!services.storage && saving.length === 0) return;
  try {
    if (saving.length > 0) await Promise.all(saving);
    await services.registry.flushed(session);
  } catch (error) {
    for (const { interaction } of records) session.delivery.closedEarly(interaction.index);
    throw error;
  }
}

const warned = new WeakSet<Engine>();

/** Warns once per engine if a trainer cannot compute the log probabilities again that were recorded with this sampling. */
export function warnOfLogprobs(engine: Engine, sampling: RecordedSampling | undefined, log: FastifyBaseLogger): void {
  const problem = sampling && describeProblem(engine, sampling);
  if (problem === undefined || warned.has(engine)) return;
  warned.add(engine);
  log.warn({ engine: engine.type }, problem);
}

function describeProblem({ recordsMasks = false }: Engine, sampling: RecordedSampling): string | undefined {
  if (sampling.logprobs === "raw") {
    return (
      "The engine reports log probabilities before temperature and penalties. Start vLLM with " +
      "--logprobs-mode processed_logprobs. GET /rl/engine names the servers."
    );
  }
  if (sampling.logprobs !== "truncated" || recordsMasks) return undefined;
  if (!isTruncated({ ...sampling, temperature: sampling.samplingTemperature })) return undefined;
  return (
    "The engine reports log probabilities among the tokens that top-k, top-p and min-p keep, and which ones these are is not " +
    "recorded, so a trainer cannot compute them again. Set engine.sampling_masks=true and start vLLM with --return-sampling-mask."
  );
}
