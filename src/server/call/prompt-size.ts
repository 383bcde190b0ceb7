import type { Conversation } from "../../conversation/message.js";
import { estimateCharacters } from "../../conversation/size.js";
import { ApiError } from "../../http/errors.js";
import type { Session } from "../../session/session.js";
import { LONG_TEXT } from "../../support/async/event-loop.js";
import { groupDigits } from "../../support/group-digits.js";
import type { ServerContext } from "../context.js";

/** Estimated size of a call's prompt, before anything is rendered. */
export interface PromptSize {
  /** True if hashing or rendering the prompt takes a millisecond or more. Each of these steps then waits for `eventLoop.yield()`. */
  readonly isLong: boolean;
}

/**
 * Returns true if this is the first prompt of its session and long. Nothing of it was compared or sent before, so each step that handles its
 * tokens runs in an iteration of its own.
 */
export function isLongFirstPrompt({ isLong }: PromptSize, { interactionCount }: Session): boolean {
  return isLong && interactionCount === 0;
}

/**
 * Measures a conversation. Call this before any work that takes time for each character.
 *
 * @throws ApiError `prompt_too_large`
 */
export function measurePrompt({ settings }: ServerContext, conversation: Conversation): PromptSize {
  const characters = estimateCharacters(conversation);
  if (characters > settings.maxPromptCharacters) {
    const limit = groupDigits(settings.maxPromptCharacters);
    const counted = groupDigits(characters);
    const message = `The messages and tools count as ${counted} characters; server.max_prompt_characters allows ${limit}.`;
    throw new ApiError("prompt_too_large", message);
  }
  return { isLong: characters >= LONG_TEXT };
}
