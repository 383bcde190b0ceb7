import type { Grammar, LogprobContent, SamplingParams } from "../../engine/engine.js";
import { type RecordedSampling, recordedTemperature, recordSampling } from "../../facts/recorded-sampling.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import type { ServerContext } from "../context.js";
import { OVERRIDE_NAMES } from "./sampling-override.js";

export interface CallLimits {
  /** Tokens that the context has left for the output, at least 1. */
  readonly tokensLeft: number;
  readonly grammar: Grammar | undefined;
  /** Maximum number of reasoning tokens. */
  readonly thinkingBudget: number | undefined;
}

export interface CompletedSampling {
  readonly params: SamplingParams;
  /** Names of the fields whose value the configuration changed. */
  readonly overridden: readonly string[];
}

/**
 * Replaces the sampling parameters that the configuration fixes and fills in those that the request leaves open.
 */
export function completeSampling(
  context: ServerContext,
  request: RequestSampling,
  limits: CallLimits,
): CompletedSampling {
  const requested = toParams(context, request, limits);
  const { samplingOverride } = context.settings;
  if (samplingOverride === undefined) return { params: requested, overridden: [] };
  const params = toParams(context, { ...request, ...samplingOverride }, limits);
  const overridden = OVERRIDE_NAMES.filter(([field]) => params[field] !== requested[field]).map(([, name]) => name);
  return { params, overridden };
}

function toParams(
  { engine, model }: ServerContext,
  request: RequestSampling,
  { tokensLeft, grammar, thinkingBudget }: CallLimits,
): SamplingParams {
  const { structure: _, ...sampling } = request;
  const maxTokens = Math.min(request.maxTokens ?? tokensLeft, tokensLeft);
  return {
    ...sampling,
    ...(grammar ? { grammar } : {}),
    thinkingBudget,
    temperature: engine.effectiveTemperature?.(request.temperature, request.topK) ?? request.temperature,
    maxTokens,
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

/**
 * Returns the sampling to record for a call.
 *
 * @param params the parameters that the engine followed
 */
export function toRecordedSampling(
  params: SamplingParams,
  { overridden }: CompletedSampling,
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
    overridden: overridden.length > 0,
  });
}
