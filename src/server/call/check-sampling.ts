import { RequestError } from "../../protocols/request-error.js";
import type { RequestSampling } from "../../protocols/request-sampling.js";
import type { ServerContext } from "../context.js";

/**
 * Checks sampling parameters that are valid one by one, but not together or not on this engine.
 *
 * @throws RequestError
 */
export function checkSampling({ engine, model, settings }: ServerContext, request: RequestSampling): void {
  checkIds(
    "logit_bias",
    request.logitBias.map(([id]) => id),
    model.vocabularySize,
  );
  checkIds("stop_token_ids", request.stopTokenIds, model.vocabularySize);
  if (request.maxTokens !== undefined && request.minTokens > request.maxTokens) {
    const limit = `the limit of output tokens (${request.maxTokens})`;
    throw new RequestError("min_tokens", `min_tokens must be at most ${limit}; received ${request.minTokens}.`);
  }
  const { stop, stopTokenIds } = request;
  const { minTokens = request.minTokens, ignoreEos = request.ignoreEos } = settings.samplingOverride ?? {};
  if (minTokens > 0 && stop.length > 0) {
    // Engines disagree about stop strings that end before that many tokens.
    throw new RequestError("min_tokens", "min_tokens cannot be combined with stop strings; use stop_token_ids.");
  }
  if (ignoreEos && stopTokenIds.length > 0 && !engine.supports.stopsWithoutEos) {
    const message = `ignore_eos cannot be combined with stop_token_ids: the engine (${engine.type}) would ignore both.`;
    throw new RequestError("ignore_eos", message, "unsupported_parameter");
  }
}

/** Engines index their tensors with these ids. Some crash if the model does not have an id. */
function checkIds(param: string, ids: readonly number[], vocabularySize: number): void {
  const unknown = ids.find((id) => id >= vocabularySize);
  if (unknown === undefined) return;
  throw new RequestError(param, `${param} must have token ids below ${vocabularySize}; received ${unknown}.`);
}
