import type { Conversation } from "../../conversation/message.js";
import { estimateCharacters } from "../../conversation/size.js";
import { ApiError } from "../../http/errors.js";
import { LONG_TEXT } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";

/** How long the prompt of a call will be, known before anything is rendered. */
export interface PromptSize {
  /** The prompt takes a millisecond or more to digest and to render. Each such step waits for `turns.next()`. */
  readonly isLong: boolean;
}

/**
 * Measures a conversation before any work that takes time for each of its characters.
 *
 * @throws ApiError `prompt_too_large`
 */
export function measurePrompt({ settings }: ServerContext, conversation: Conversation): PromptSize {
  const characters = estimateCharacters(conversation);
  if (characters > settings.maxPromptCharacters) {
    const limit = settings.maxPromptCharacters.toLocaleString("en-US");
    const message = `The messages and tools have ${characters.toLocaleString("en-US")} characters; at most ${limit} are accepted.`;
    throw new ApiError("prompt_too_large", message);
  }
  return { isLong: characters >= LONG_TEXT };
}
