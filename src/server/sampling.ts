import type { Grammar, SamplingParams } from "../engine/engine.js";
import type { RequestSampling } from "../protocols/sampling.js";
import type { ServerContext } from "./context.js";
import { contextLimit } from "./context-limit.js";
import { ApiError } from "./errors.js";

/** Fills in what the request left open and checks the prompt against the context. */
export async function completeSampling(
  context: ServerContext,
  request: RequestSampling,
  { promptTokens, grammar }: { readonly promptTokens: number; readonly grammar: Grammar | undefined },
): Promise<SamplingParams> {
  const limit = await contextLimit(context);
  const left = limit - promptTokens;
  if (left < 1) {
    throw new ApiError(
      "context_length_exceeded",
      `The prompt has ${promptTokens} tokens; prompt and output together may have ${limit}.`,
      { param: "messages" },
    );
  }
  const { structure: _, ...sampling } = request;
  return {
    ...sampling,
    ...(grammar ? { grammar } : {}),
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...context.model.stopTokenIds, ...request.stopTokenIds])],
  };
}
