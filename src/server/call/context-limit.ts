import { ApiError } from "../../http/errors.js";
import type { Api } from "../../session/interaction.js";
import type { ServerContext } from "../context.js";

/** Tokens that prompt and output of one call may have together. */
export async function contextLimit({ engine, settings }: ServerContext): Promise<number> {
  return Math.min(settings.engineMaxTokens ?? Number.POSITIVE_INFINITY, await engine.contextLength());
}

export interface LongPrompt {
  readonly api: Api;
  readonly limit: number;
  readonly promptTokens: number;
  /** The prompt was not encoded to its end. */
  readonly counted: "all" | "part";
}

/**
 * The refusal of a prompt that leaves no room for an output token. Each protocol's clients, which shorten their history
 * then, know it by words of its own API.
 */
export function contextLengthExceeded({ api, limit, promptTokens, counted }: LongPrompt): ApiError {
  const some = counted === "all" ? "" : " or more";
  const message =
    api === "messages"
      ? `prompt is too long: ${promptTokens} tokens${some} > ${limit - 1} maximum`
      : `This model's maximum context length is ${limit} tokens, prompt and output together. However, your messages resulted in ${promptTokens} tokens${some}.`;
  const param = api === "responses" ? "input" : "messages";
  const details = { prompt_tokens: promptTokens, context_length: limit };
  return new ApiError("context_length_exceeded", message, { param, details });
}
