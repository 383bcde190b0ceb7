import type { Grammar, ReasoningMarkers, SamplingParams } from "../../engine/engine.js";
import { OVERRIDE_NAMES, type SamplingOverride, toSamplingOverride } from "../../facts/sampling-override.js";
import { RequestError } from "../../protocols/request-error.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import type { CallServices } from "../services.js";
import type { Call } from "./call.js";
import { buildGrammar } from "./grammar.js";
import { decodePromptEnd } from "./prompt.js";

/** Bytes of an alternative of a token: its id and its log probability. */
const ALTERNATIVE_BYTES = 8;

/** The sampling of a call, which its choices share except for the seed. */
export interface CallSampling {
  readonly params: SamplingParams;
  /** The markers of the model's reasoning, if it is limited. */
  readonly reasoning: ReasoningMarkers | undefined;
  /** The configuration or the start of the session changed a value. */
  readonly isOverridden: boolean;
}

/**
 * Checks sampling parameters that are valid one by one, but not together or not on this engine.
 *
 * @throws RequestError
 */
export function checkSampling(call: Call): void {
  const { engine, model } = call.services;
  const { request } = call;
  const { sampling } = request;
  const { logitBias, stop, stopTokenIds, maxTokens } = sampling;
  checkIds(
    "logit_bias",
    logitBias.map(([id]) => id),
    model.vocabularySize,
  );
  checkIds("stop_token_ids", stopTokenIds, model.vocabularySize);
  if (maxTokens !== undefined && sampling.minTokens > maxTokens) {
    const limit = `the limit of output tokens (${maxTokens})`;
    throw new RequestError("min_tokens", `min_tokens must be at most ${limit}; received ${sampling.minTokens}.`);
  }
  const { minTokens = sampling.minTokens, ignoreEos = sampling.ignoreEos } = joinOverrides(call) ?? {};
  if (minTokens > 0 && stop.length > 0) {
    // Engines disagree about stop strings that end before that many tokens.
    throw new RequestError("min_tokens", "min_tokens cannot be combined with stop strings; use stop_token_ids.");
  }
  if (sampling.topLogprobs > 0 && engine.supports.topLogprobs === false) {
    const message =
      `top_logprobs must be 0: the engine (${engine.type}) returns the log probabilities of engine.token_ids_logprob instead of ` +
      "alternatives.";
    throw new RequestError("top_logprobs", message, "unsupported_parameter");
  }
  if (request.routedExperts) checkExperts(call);
  if (ignoreEos && stopTokenIds.length > 0 && !engine.supports.stopsWithoutEos) {
    const message = `ignore_eos cannot be combined with stop_token_ids: the engine (${engine.type}) would ignore both.`;
    throw new RequestError("ignore_eos", message, "unsupported_parameter");
  }
}

function checkExperts({ services: { engine }, session }: Call): void {
  const isLeftOut = session.withoutChannels?.includes("routed_experts");
  if (engine.recordedExperts && !isLeftOut) return;
  const message = isLeftOut
    ? "return_routed_experts must be false: it asks for routed experts, but the session was started without them."
    : "return_routed_experts must be false: the server records no routed experts. Start it with `engine.routed_experts=true`.";
  throw new RequestError("return_routed_experts", message, "unsupported_parameter");
}

/** Engines index their tensors with these ids. Some crash if the model does not have an id. */
function checkIds(param: string, ids: readonly number[], vocabularySize: number): void {
  const unknown = ids.find((id) => id >= vocabularySize);
  if (unknown === undefined) return;
  throw new RequestError(param, `${param} must have token ids below ${vocabularySize}; received ${unknown}.`);
}

/**
 * Replaces the sampling parameters that the session or the configuration fixes and fills in those that the request leaves open. Call
 * this when the prompt is built.
 *
 * @param contextLimit tokens that prompt and output may have together
 * @throws RequestError if the engine cannot enforce what the request asks for
 */
export async function completeSampling(call: Call, contextLimit: number): Promise<CallSampling> {
  const { services, request, turn } = call;
  const limits: OutputLimits = {
    tokensLeft: contextLimit - turn.prompt.length,
    grammar: buildGrammar(call),
    thinkingBudget: chooseBudget(call),
    recordedTop: countRecordedTop(call),
  };
  const requested = toParams(services, request.sampling, limits);
  const samplingOverride = joinOverrides(call);
  const fixed = samplingOverride && toParams(services, { ...request.sampling, ...samplingOverride }, limits);
  const overridden = fixed ? listChanged(requested, fixed) : [];
  call.noteOverridden(overridden);
  const params = fixed ?? requested;
  const refusal = services.engine.refuseSampling?.(params, call.session.withoutChannels);
  if (refusal) throw new RequestError(refusal.param, refusal.message, "unsupported_parameter");
  const reasoning = params.thinkingBudget === undefined ? undefined : await services.model.reasoningMarkers();
  return { params, reasoning, isOverridden: overridden.length > 0 };
}

/** Returns what is fixed for the call. Values of its session replace those of the configuration. */
function joinOverrides({ services: { settings }, session }: Call): SamplingOverride | undefined {
  const ofSession = toSamplingOverride(session.samplingOverride);
  return ofSession ? { ...settings.samplingOverride, ...ofSession } : settings.samplingOverride;
}

/** Returns the names of the fields in which the parameters differ. */
function listChanged(before: SamplingParams, now: SamplingParams): readonly string[] {
  return OVERRIDE_NAMES.filter(([field]) => now[field] !== before[field]).map(([, name]) => name);
}

interface OutputLimits {
  /** Tokens that the context has left for the output, at least 1. */
  readonly tokensLeft: number;
  readonly grammar: Grammar | undefined;
  /** Maximum number of reasoning tokens. */
  readonly thinkingBudget: number | undefined;
  /** Alternatives per token that are recorded. The request may ask for fewer. */
  readonly recordedTop: number;
}

/**
 * Counts the channels that the output of each choice may have, for the session and the memory budget.
 *
 * @throws ApiError `session_limit` or `store_full`. The call then never reaches the engine
 */
export function admitOutput(call: Call, sampling: SamplingParams): void {
  const { engine } = call.services;
  const without = call.session.withoutChannels;
  const bytesPerToken =
    (engine.sequenceChannelBytes?.(without) ?? 0) +
    (engine.outputChannelBytes?.(sampling, without) ?? 0) +
    ALTERNATIVE_BYTES * countRecordedTop(call);
  if (bytesPerToken === 0) return;
  for (const { admitted } of call.choices) admitted?.addOutput(sampling.maxTokens, bytesPerToken);
}

/** Returns how many alternatives of each token the call records. */
export function countRecordedTop({ services: { settings }, session }: Call): number {
  return session.withoutChannels?.includes("top_logprobs") ? 0 : settings.topLogprobs;
}

/** Returns the limit of a call's reasoning, in tokens; undefined if it has none or if the answer has no reasoning. */
function chooseBudget({ services: { model }, request: { conversation, sampling }, turn }: Call): number | undefined {
  const { thinkingBudget: budget } = sampling;
  if (budget === undefined || conversation.prefill !== undefined) return undefined;
  return model.hasEndedReasoning(decodePromptEnd(model, turn)) ? undefined : budget.tokens;
}

function toParams(
  services: CallServices,
  request: RequestSampling,
  { tokensLeft, grammar, thinkingBudget, recordedTop }: OutputLimits,
): SamplingParams {
  const { engine, model } = services;
  const { structure: _, ...sampling } = request;
  const maxTokens = Math.min(request.maxTokens ?? tokensLeft, tokensLeft);
  return {
    // Before the spread, because V8 takes twice as long for an object that begins with one and gets new fields after it.
    bannedTokenIds: services.imageTokens?.model.reservedIds,
    ...sampling,
    ...(grammar ? { grammar } : {}),
    thinkingBudget,
    temperature: engine.effectiveTemperature?.(request.temperature, request.topK) ?? request.temperature,
    maxTokens,
    topLogprobs: Math.max(request.topLogprobs, recordedTop),
    // The context may leave fewer tokens than the request's `min_tokens`.
    minTokens: Math.min(request.minTokens, maxTokens),
    stopTokenIds: joinStopTokens(request.ignoreEos ? [] : model.stopTokenIds, request.stopTokenIds),
  };
}

function joinStopTokens(ofModel: readonly number[], ofRequest: readonly number[]): readonly number[] {
  return ofRequest.length === 0 ? ofModel : [...new Set([...ofModel, ...ofRequest])];
}

/** Returns the parameters for one of several choices. With equal seeds, all choices would be equal. */
export function forChoice(params: SamplingParams, choice: number): SamplingParams {
  const { seed } = params;
  if (seed === undefined || choice === 0) return params;
  return { ...params, seed: Number.isSafeInteger(seed + choice) ? seed + choice : seed - choice };
}
