import type { Message } from "../conversation/message.js";

/** The API through which a call came. */
export type Api = "chat.completions" | "responses" | "messages";

/** What is kept of a recorded model call beside its tokens, which live in native memory. */
export interface Interaction {
  /** Position in completion order: the interaction's name in native memory. */
  readonly index: number;
  readonly id: string;
  readonly api: Api;
  /** Milliseconds since the epoch, when the call completed. */
  readonly createdAt: number;
  readonly finishReason: string;
  /** -1 for a root. */
  readonly parent: number;
  readonly tokenExact: boolean;
  /** How many of the input messages are the parent's (its input, and its output where the child continues it). */
  readonly inheritedMessages: number;
  /** The input messages behind the inherited ones. */
  readonly newMessages: readonly Message[];
  readonly output: readonly Message[];
  /** Last token of the output; undefined for an empty output. */
  readonly lastTokenId: number | undefined;
  /** Identifies the tools that the prompt showed. */
  readonly toolsKey: string;
}

/** Number of input messages. */
export function messageCount(interaction: Interaction): number {
  return interaction.inheritedMessages + interaction.newMessages.length;
}

/**
 * The input messages of an interaction, put together from those that each ancestor added. Messages that equal an
 * ancestor's in canonical form appear as the ancestor spelled them.
 */
export function inputMessages(interaction: Interaction, all: readonly Interaction[]): Message[] {
  const parts: (readonly Message[])[] = [interaction.newMessages];
  let wanted = interaction.inheritedMessages;
  for (let at = all[interaction.parent]; at && wanted > 0; at = all[at.parent]) {
    const count = messageCount(at);
    if (wanted > count) parts.push(at.output.slice(0, wanted - count));
    const own = Math.min(wanted, count) - at.inheritedMessages;
    if (own > 0) parts.push(at.newMessages.slice(0, own));
    wanted = Math.min(wanted, at.inheritedMessages);
  }
  return parts.reverse().flat();
}
