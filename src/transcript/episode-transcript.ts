import { type ChatMessage, toChatMessage } from "../conversation/chat-message.js";
import type { Message } from "../conversation/message.js";
import type { SessionTranscript, TranscriptInteraction } from "./format.js";

/** The recorded calls of an episode that was cut, for the agent that goes on with it. Messages have the form of chat completions. */
export interface EpisodeTranscript {
  readonly session_id: string;
  /** The conversation of the newest turn: the messages of its request, and its answer. */
  readonly messages: readonly ChatMessage[];
  /** The answered calls, at least one, in the order of their completion. */
  readonly turns: readonly EpisodeTurn[];
}

/** An answered call, as the messages that it adds to its parent's conversation. */
export interface EpisodeTurn {
  /** The completion's id, to which a reward can be given. */
  readonly id: string;
  /** Id of the turn that it continues; null if it began a conversation. */
  readonly parent: string | null;
  /** Number of messages at the start of the parent's conversation, including its answer, with which this one begins. */
  readonly kept: number;
  /** The messages of the request after these. */
  readonly messages: readonly ChatMessage[];
  readonly answer: ChatMessage;
  readonly finish_reason: string;
  /** The agent's tag of the call; null if it had none. */
  readonly tag: string | null;
  /** Reward that was set for the turn; null if none was. */
  readonly reward: number | null;
  /** Seconds since the epoch. */
  readonly created_at: number;
}

/** Returns the transcript for an agent that goes on. Answers that a retry has replaced are left out, as they are in batches. */
export function toEpisodeTranscript({ session_id, interactions }: SessionTranscript): EpisodeTranscript {
  const conversations: Message[][] = [];
  for (const interaction of interactions) conversations.push(readConversation(interaction, conversations));
  const isKept = ({ left_out }: TranscriptInteraction) => left_out !== "retried";
  return {
    session_id,
    messages: (conversations[interactions.findLastIndex(isKept)] ?? []).map(toChatMessage),
    turns: interactions.filter(isKept).map((interaction) => toTurn(interaction, interactions)),
  };
}

/** @param earlier conversations of the earlier interactions, with their answers */
function readConversation(
  { parent, kept, respelled = [], messages, answer }: TranscriptInteraction,
  earlier: readonly Message[][],
): Message[] {
  const inherited = earlier[parent]?.slice(0, kept) ?? [];
  for (const [position, message] of respelled) inherited[position] = message;
  return [...inherited, ...messages, answer];
}

function toTurn(interaction: TranscriptInteraction, all: readonly TranscriptInteraction[]): EpisodeTurn {
  const { id, parent, kept, messages, answer, finish_reason, tag = null, own_reward = null, created_at } = interaction;
  return {
    id,
    parent: all[parent]?.id ?? null,
    kept,
    messages: messages.map(toChatMessage),
    answer: toChatMessage(answer),
    finish_reason,
    tag,
    reward: own_reward,
    created_at,
  };
}
