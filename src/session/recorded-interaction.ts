import { type PlacedImage, sameContent } from "../conversation/content.js";
import type { Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import type { RecordedCall } from "../facts/call-facts.js";

export type { Api } from "../facts/call-facts.js";

/** A recorded model call without its tokens, which are in native memory. */
export interface RecordedInteraction extends RecordedCall {
  /** Position in completion order. Native memory identifies the interaction by it. */
  readonly index: number;
  readonly id: string;
  /** -1 for a root. */
  readonly parent: number;
  /**
   * For the first call of a compacted conversation: index of the interaction that it was compacted from. It is later than the parent.
   * Undefined if none was found. See compactions.ts.
   */
  readonly compactedFrom?: number | undefined;
  /** Ids of the answer's calls whose tool the request had not declared. Absent: there are none. See undeclared-calls.ts. */
  readonly undeclaredCalls?: readonly string[] | undefined;
  readonly tokenExact: boolean;
  readonly input: InputMessages;
  readonly output: readonly Message[];
  /** The images of the prompt in its order. Undefined: it has none. */
  readonly images?: readonly PlacedImage[] | undefined;
  /** Last token of the output; undefined for an empty output. */
  readonly lastTokenId: number | undefined;
  readonly fallback: string | undefined;
  /** Identifies the tools that the prompt showed: a digest of their JSON; empty if there were none. */
  readonly toolsKey: string;
  /** Size of these tools in bytes, if the interaction is the first one of its session that has them. */
  readonly toolsBytes?: number | undefined;
  /** Variables of the chat template besides messages and tools. */
  readonly templateArgs: TemplateArgs | undefined;
}

/**
 * Input messages, stored as the difference to the parent's. A conversation of n turns then stores n messages, not n²/2.
 */
export interface InputMessages {
  /** How many messages at the start come from the parent: its input, and its output if the child continues it. */
  readonly inherited: number;
  /** Inherited messages that the request spelled differently, such as a filtered date or omitted reasoning. */
  readonly respelled: ReadonlyMap<number, Message>;
  /** The messages after the inherited ones. */
  readonly added: readonly Message[];
}

/** Of nearly all interactions. They share it, because an empty map takes 200 bytes. */
export const NOTHING_RESPELLED: InputMessages["respelled"] = new Map();

/** Returns the indices of all answers of an interaction's call. */
export function listChoices({ index, choice = 0, choices = 1 }: RecordedInteraction): number[] {
  return Array.from({ length: choices }, (_, i) => index - choice + i);
}

/** Returns the number of input messages. */
export function inputLength({ input }: RecordedInteraction): number {
  return input.inherited + input.added.length;
}

/** Returns a request's messages as the difference to those that it inherits from its parent. */
export function diffMessages(inherited: readonly Message[], messages: readonly Message[]): InputMessages {
  let respelled: Map<number, Message> | undefined;
  inherited.forEach((message, i) => {
    const own = messages[i];
    if (own && !sameMessage(own, message)) (respelled ??= new Map()).set(i, shareTexts(own, message));
  });
  return {
    inherited: Math.min(inherited.length, messages.length),
    respelled: respelled ?? NOTHING_RESPELLED,
    added: messages.slice(inherited.length),
  };
}

/**
 * Returns the input messages of an interaction exactly as its request spelled them. Each message comes from the nearest
 * ancestor that stores it. The time is linear in messages plus ancestors.
 */
export function joinMessages(interaction: RecordedInteraction, all: readonly RecordedInteraction[]): Message[] {
  const length = inputLength(interaction);
  const messages: Message[] = [];
  messages.length = length;
  const take = (source: Iterable<readonly [number, Message]>, from: number) => {
    for (const [i, message] of source) if (from + i < length) messages[from + i] ??= message;
  };
  for (let at: RecordedInteraction | undefined = interaction; at; at = all[at.parent]) {
    const { inherited, respelled, added } = at.input;
    if (at !== interaction) take(at.output.entries(), inputLength(at));
    take(added.entries(), inherited);
    take(respelled, 0);
  }
  return messages;
}

/**
 * Returns the message with the texts of another one where they are equal, so that these are in memory once. If all fields are equal, it
 * returns the other one.
 */
export function shareTexts(message: Message, other: Message): Message {
  if (sameMessage(message, other)) return other;
  const shared: { -readonly [Field in keyof Message]: Message[Field] } = { ...message };
  if (sameContent(message.content, other.content)) shared.content = other.content;
  if (other.reasoning !== undefined && message.reasoning === other.reasoning) shared.reasoning = other.reasoning;
  if (other.toolCalls && sameCalls(message.toolCalls, other.toolCalls)) shared.toolCalls = other.toolCalls;
  return shared;
}

/** Returns true if two messages are equal in every field. */
export function sameMessage(a: Message, b: Message): boolean {
  if (a === b) return true;
  return (
    a.role === b.role &&
    sameContent(a.content, b.content) &&
    a.reasoning === b.reasoning &&
    a.hasUnknownReasoning === b.hasUnknownReasoning &&
    a.toolCallId === b.toolCallId &&
    a.name === b.name &&
    sameCalls(a.toolCalls, b.toolCalls)
  );
}

function sameCalls(a: Message["toolCalls"] = [], b: Message["toolCalls"] = []): boolean {
  return (
    a.length === b.length &&
    a.every((call, i) => call.id === b[i]?.id && call.name === b[i]?.name && call.arguments === b[i]?.arguments)
  );
}
