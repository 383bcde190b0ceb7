import { showAsText } from "../../conversation/media.js";
import type { Message } from "../../conversation/message.js";
import { inputLength, type RecordedInteraction } from "../recorded-interaction.js";

/**
 * Gives messages whose reasoning the client did not send in a readable form the reasoning that was recorded with the same answer.
 *
 * @param messages a request's messages
 * @param ancestors the interactions that the request continues, in any order
 */
export function restoreReasoning(messages: readonly Message[], ancestors: Iterable<RecordedInteraction>): Message[] {
  const recorded = new Map<number, Message>();
  for (const interaction of ancestors) {
    interaction.output.forEach((message, i) => recorded.set(inputLength(interaction) + i, message));
  }
  return messages.map((message, i) => {
    if (!message.hasUnknownReasoning) return message;
    const { hasUnknownReasoning: _, ...rest } = message;
    const answer = recorded.get(i);
    if (answer?.reasoning === undefined || !isSameAnswer(answer, message)) return rest;
    return { ...rest, reasoning: answer.reasoning };
  });
}

/** Returns true if the client sent the recorded answer. It may have replaced an answer with another one at the same position. */
function isSameAnswer(recorded: Message, sent: Message): boolean {
  const [a, b] = [recorded, sent].map(({ toolCalls = [] }) => toolCalls.map(({ name }) => name).join());
  return a === b && showAsText(recorded.content).trim() === showAsText(sent.content).trim();
}
