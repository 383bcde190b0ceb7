import type { Api } from "../../facts/call-facts.js";
import { ApiError } from "../../http/errors.js";
import type { ServerContext } from "../context.js";

/** Returns the number of tokens that prompt and output of one call may have together. */
export async function readContextLimit({ engine, settings }: ServerContext): Promise<number> {
  return Math.min(settings.engineMaxTokens ?? Number.POSITIVE_INFINITY, await engine.contextLength());
}

export interface LongPrompt {
  readonly api: Api;
  readonly limit: number;
  readonly promptTokens: number;
  /** `part`: the prompt was not encoded to its end, so it has more than `promptTokens`. */
  readonly counted: "all" | "part";
}

/**
 * Returns the error for a prompt that leaves no room for an output token. Clients shorten their history when they recognize
 * this error by its text, so the text is that of each protocol's own API.
 */
export function contextLengthError(prompt: LongPrompt): ApiError {
  const { api, limit, promptTokens } = prompt;
  const details = { prompt_tokens: promptTokens, context_length: limit };
  return new ApiError("context_length_exceeded", describe(prompt), { param: PARAMS[api], details });
}

/** The field that holds the conversation. */
const PARAMS: Readonly<Record<Api, string>> = {
  "chat.completions": "messages",
  responses: "input",
  messages: "messages",
  generate_content: "contents",
};

function describe({ api, limit, promptTokens, counted }: LongPrompt): string {
  const orMore = counted === "all" ? "" : " or more";
  switch (api) {
    case "messages":
      return `prompt is too long: ${promptTokens} tokens${orMore} > ${limit - 1} maximum`;
    case "generate_content":
      return `The input token count (${promptTokens}${orMore}) exceeds the maximum number of tokens allowed (${limit - 1}).`;
    case "chat.completions":
    case "responses":
      return `This model's maximum context length is ${limit} tokens, prompt and output together. However, your messages resulted in ${promptTokens} tokens${orMore}.`;
  }
}
