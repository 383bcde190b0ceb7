import type { Grammar, LogprobContent, SamplingParams } from "../../engine/engine.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import { type RecordedSampling, recordedTemperature } from "../../session/recorded-sampling.js";
import type { ServerContext } from "../context.js";
import { OVERRIDE_NAMES } from "./sampling-override.js";

export interface OutputLimits {
  /** Tokens that the context has left for the output, at least 1. */
  readonly tokensLeft: number;
  readonly grammar: Grammar | undefined;
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
  limits: OutputLimits,
): CompletedSampling {
  const requested = toParams(context, request, limits);
  const params = toParams(context, { ...request, ...context.settings.samplingOverride }, limits);
  const overridden = OVERRIDE_NAMES.filter(([field]) => params[field] !== requested[field]).map(([, name]) => name);
  return { params, overridden };
}

function toParams(
  { engine, model }: ServerContext,
  request: RequestSampling,
  { tokensLeft, grammar }: OutputLimits,
): SamplingParams {
  const { structure: _, ...sampling } = request;
  return {
    ...sampling,
    ...(grammar ? { grammar } : {}),
    temperature: engine.effectiveTemperature?.(request.temperature) ?? request.temperature,
    maxTokens: Math.min(request.maxTokens ?? tokensLeft, tokensLeft),
    stopTokenIds:
      request.stopTokenIds.length === 0
        ? model.stopTokenIds
        : [...new Set([...model.stopTokenIds, ...request.stopTokenIds])],
  };
}

/** Returns the sampling to record for a call. */
export function toRecordedSampling(
  { params, overridden }: CompletedSampling,
  logprobs: LogprobContent,
): RecordedSampling {
  const { temperature, topP, topK, minP, seed, frequencyPenalty, presencePenalty, maxTokens, grammar } = params;
  return {
    temperature: recordedTemperature(temperature, logprobs),
    samplingTemperature: temperature,
    greedy: temperature === 0,
    topP,
    topK,
    minP,
    seed,
    frequencyPenalty,
    presencePenalty,
    maxTokens,
    grammar: grammar !== undefined,
    logprobs,
    overridden: overridden.length > 0,
  };
}
