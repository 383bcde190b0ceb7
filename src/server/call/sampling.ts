import type { Grammar, LogprobContent, SamplingParams } from "../../engine/engine.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import { type RecordedSampling, recordedTemperature } from "../../session/recorded-sampling.js";
import type { ServerContext } from "../context.js";
import { OVERRIDE_NAMES } from "./sampling-override.js";

export interface CompletedSampling {
  readonly params: SamplingParams;
  /** Names of the fields whose value the configuration changed. */
  readonly overridden: readonly string[];
}

/**
 * Replaces sampling parameters that the configuration fixes and fills in those that the request left open.
 *
 * @param room `left`: tokens that the context has left for the output, at least 1; `grammar`: what limits the output,
 * if anything
 */
export function completeSampling(
  context: ServerContext,
  request: RequestSampling,
  room: { readonly left: number; readonly grammar: Grammar | undefined },
): CompletedSampling {
  const asked = toParams(context, request, room);
  const params = toParams(context, { ...request, ...context.settings.samplingOverride }, room);
  const overridden = OVERRIDE_NAMES.filter(([field]) => params[field] !== asked[field]).map(([, name]) => name);
  return { params, overridden };
}

function toParams(
  { engine, model }: ServerContext,
  request: RequestSampling,
  { left, grammar }: { readonly left: number; readonly grammar: Grammar | undefined },
): SamplingParams {
  const { structure: _, ...sampling } = request;
  return {
    ...sampling,
    ...(grammar ? { grammar } : {}),
    temperature: engine.effectiveTemperature?.(request.temperature) ?? request.temperature,
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...model.stopTokenIds, ...request.stopTokenIds])],
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
