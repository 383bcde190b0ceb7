import type { SamplingParams } from "../engine/engine.js";
import { RequestError } from "../protocols/request-error.js";
import type { RequestSampling } from "../protocols/sampling.js";
import type { ServerContext } from "./context.js";
import { contextLimit } from "./context-limit.js";
import { ApiError } from "./errors.js";

/** Fills in what the request left open and checks the prompt against the context. */
export async function completeSampling(
  context: ServerContext,
  { structure, ...request }: RequestSampling,
  promptTokens: number,
): Promise<SamplingParams> {
  if (structure !== undefined) {
    const message = `structured output is not supported: the engine (${context.engine.type}) has no grammars`;
    throw new RequestError(structure.param, message, "unsupported_parameter");
  }
  const limit = await contextLimit(context);
  const left = limit - promptTokens;
  if (left < 1) {
    throw new ApiError(
      "context_length_exceeded",
      `The prompt has ${promptTokens} tokens; prompt and output together may have ${limit}.`,
      { param: "messages" },
    );
  }
  return {
    ...request,
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...context.model.stopTokenIds, ...request.stopTokenIds])],
  };
}
