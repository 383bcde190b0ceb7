import type { Grammar, SamplingParams } from "../engine/engine.js";
import type { RequestSampling } from "../protocols/sampling.js";
import type { ServerContext } from "./context.js";

/** Fills in what the request left open. @param left tokens that the output may have, at least 1. */
export function completeSampling(
  context: ServerContext,
  request: RequestSampling,
  { left, grammar }: { readonly left: number; readonly grammar: Grammar | undefined },
): SamplingParams {
  const { structure: _, ...sampling } = request;
  return {
    ...sampling,
    ...(grammar ? { grammar } : {}),
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...context.model.stopTokenIds, ...request.stopTokenIds])],
  };
}
