import type { Engine, Grammar, SamplingParams } from "../engine/engine.js";
import { RequestError } from "../protocols/request-error.js";
import type { OutputStructure, RequestSampling } from "../protocols/sampling.js";
import type { ServerContext } from "./context.js";
import { contextLimit } from "./context-limit.js";
import { ApiError } from "./errors.js";

/** Fills in what the request left open and checks the prompt against the context. */
export async function completeSampling(
  context: ServerContext,
  { structure, ...request }: RequestSampling,
  promptTokens: number,
): Promise<SamplingParams> {
  const grammar = structure && toGrammar(context.engine, structure);
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
    ...(grammar ? { grammar } : {}),
    maxTokens: Math.min(request.maxTokens ?? left, left),
    stopTokenIds: [...new Set([...context.model.stopTokenIds, ...request.stopTokenIds])],
  };
}

function toGrammar({ supports, type }: Engine, { jsonSchema, param }: OutputStructure): Grammar {
  if (supports.grammar) return { kind: "json_schema", schema: jsonSchema };
  const message = `Structured output is not supported: the engine (${type}) has no grammars.`;
  throw new RequestError(param, message, "unsupported_parameter");
}
