import type { Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import type { RecordedSampling } from "./recorded-sampling.js";

/** The API through which a call came. */
export type Api = "chat.completions" | "responses" | "messages";

/** How a recorded call was made. The library's store records calls of which it knows less. */
export interface CallFacts {
  readonly sampling?: RecordedSampling | undefined;
  /** The model that the request named, in at most 256 bytes of UTF-8. */
  readonly requestedModel?: string | undefined;
  /** How often the client had sent the request before, as its SDK says. */
  readonly attempt?: number | undefined;
  /** How often the engine cut the generation for a weight update and it was resumed. */
  readonly resumes?: number | undefined;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt?: number | undefined;
}

/** What is kept of a recorded model call beside its tokens, which live in native memory. */
export interface Interaction extends CallFacts {
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
  readonly input: InputMessages;
  readonly output: readonly Message[];
  /** Last token of the output; undefined for an empty output. */
  readonly lastTokenId: number | undefined;
  /** Why its prompt does not continue its parent's tokens; undefined if it does, or is a root that continues nothing. */
  readonly fallback: string | undefined;
  /** Identifies the tools that the prompt showed. */
  readonly toolsKey: string;
  /** What the chat template was given for the prompt beside messages and tools. */
  readonly templateArgs: TemplateArgs | undefined;
}

/**
 * Input messages, as what they add to the parent's. A conversation of n turns holds n messages, not n²/2.
 */
export interface InputMessages {
  /** How many of the first messages are the parent's: its input, and its output where the child continues it. */
  readonly inherited: number;
  /** Inherited ones that the request spelled another way (a date that is filtered, reasoning that was dropped). */
  readonly respelled: ReadonlyMap<number, Message>;
  /** The messages behind the inherited ones. */
  readonly added: readonly Message[];
}

/** Number of input messages. */
export function inputLength({ input }: Interaction): number {
  return input.inherited + input.added.length;
}

/** What a request's messages add to those of its parent. */
export function differenceTo(inherited: readonly Message[], messages: readonly Message[]): InputMessages {
  const respelled = new Map<number, Message>();
  inherited.forEach((message, i) => {
    const own = messages[i];
    if (own && !sameMessage(own, message)) respelled.set(i, own);
  });
  return { inherited: inherited.length, respelled, added: messages.slice(inherited.length) };
}

/**
 * The input messages of an interaction, exactly as its request spelled them: each from the nearest ancestor that spelled
 * it. Takes time in messages and ancestors, not in their product.
 */
export function inputMessages(interaction: Interaction, all: readonly Interaction[]): Message[] {
  const messages: Message[] = [];
  let wanted = inputLength(interaction);
  messages.length = wanted;
  const take = (source: readonly Message[], at: number) => {
    for (let i = 0; i < source.length && at + i < wanted; i++) {
      const message = source[i];
      if (message) messages[at + i] ??= message;
    }
  };
  for (let at: Interaction | undefined = interaction; at && wanted > 0; at = all[at.parent]) {
    const { inherited, respelled, added } = at.input;
    if (at !== interaction) take(at.output, inputLength(at));
    take(added, inherited);
    for (const [i, message] of respelled) if (i < wanted) messages[i] ??= message;
    wanted = Math.min(wanted, inherited);
  }
  return messages;
}

/** Whether two messages are the same in every field. */
export function sameMessage(a: Message, b: Message): boolean {
  if (a === b) return true;
  return (
    a.role === b.role &&
    a.content === b.content &&
    a.reasoning === b.reasoning &&
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
