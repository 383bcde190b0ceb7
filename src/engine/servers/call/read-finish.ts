import { EngineError, type Finish, type GenerateCall } from "../../engine.js";
import type { ServerReply } from "../engine-server.js";
import { abortError, saysRemoved } from "../wire/errors.js";

/**
 * Checks a reply against its request.
 *
 * @param inputTokens prompt tokens that were sent
 * @throws EngineError if the server used other prompt tokens, or aborted the generation with a status code
 */
export function checkReply({ promptTokens, finish, tokens }: ServerReply, inputTokens: number): void {
  if (promptTokens !== undefined && promptTokens !== inputTokens) {
    const message = `Engine reply is inconsistent: it reports ${promptTokens} prompt tokens, but ${inputTokens} were sent.`;
    throw new EngineError("engine_error", message);
  }
  if (finish?.type === "abort" && finish.statusCode !== undefined && !saysRemoved(finish.message)) {
    throw abortError(finish.message, finish.statusCode, tokens);
  }
}

/** Returns the finish reason; undefined if the generation was cut and can be resumed. */
export function readFinish({ finish }: ServerReply, { generation, sampling }: GenerateCall): Finish | undefined {
  if (finish?.type === "abort") {
    return generation.length < sampling.maxTokens ? undefined : { reason: "length" };
  }
  if (generation.length === 0) throw new EngineError("engine_error", "The engine's reply has no tokens.");
  if (finish?.type === "length") return { reason: "length" };
  if (finish?.type !== "stop") {
    throw new EngineError("engine_error", "The engine's reply does not say why the generation ended.");
  }
  const matched = finish.matched ?? findStopToken(generation.ids(generation.length - 1), sampling.stopTokenIds);
  return matched === undefined ? { reason: "stop" } : { reason: "stop", matched };
}

/** vLLM names no token if it is the model's own end-of-sequence token. */
function findStopToken([last]: Int32Array, stopTokenIds: readonly number[]): number | undefined {
  return last !== undefined && stopTokenIds.includes(last) ? last : undefined;
}
