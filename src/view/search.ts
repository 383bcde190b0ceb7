import { showAsText } from "../conversation/media.js";
import type { Message } from "../conversation/message.js";
import type { EpisodeLine } from "./api.js";

/** Time after which a search returns what it has found. */
export const SEARCH_MS = 2000;

/**
 * Returns true if an episode contains a text: in a message, an answer, a tool call, its task id or its error message.
 *
 * @param wanted the text in lower case
 */
export function episodeContains({ interactions, error, task_id: task }: EpisodeLine, wanted: string): boolean {
  const contains = (text: string | undefined) => text?.toLowerCase().includes(wanted) ?? false;
  if (contains(task) || contains(error?.message)) return true;
  return interactions.some(({ messages, answer }) =>
    [...messages, answer].some((message) => textsOf(message).some(contains)),
  );
}

function textsOf({ content, reasoning, toolCalls = [] }: Message): (string | undefined)[] {
  return [showAsText(content), reasoning, ...toolCalls.flatMap(({ name, arguments: text }) => [name, text])];
}
