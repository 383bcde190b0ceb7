import type { Message } from "../../../conversation/message.js";
import type { EpisodeLine } from "../../api.js";

/** As long as a server searches. */
export const EMBEDDED_SEARCH_MS = 2000;

/** True if a message of the episode contains the text, in upper or lower case. */
export function episodeContains({ interactions }: EpisodeLine, text: string): boolean {
  const words = text.toLowerCase();
  return interactions.some(({ messages, answer }) =>
    [...messages, answer].some((message) =>
      textsOf(message).some((part) => part?.toLowerCase().includes(words) ?? false),
    ),
  );
}

function textsOf({ content, reasoning, toolCalls }: Message): (string | undefined)[] {
  return [content, reasoning, ...(toolCalls ?? []).flatMap(({ name, arguments: text }) => [name, text])];
}
