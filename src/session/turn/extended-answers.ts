import { canonicalMessages } from "../../conversation/canonical.js";
import { showAsText } from "../../conversation/media.js";
import type { Message } from "../../conversation/message.js";
import type { MessageFilter } from "../../conversation/text-filter.js";
import { native } from "../../native/addon.js";
import type { NativeSession } from "../../native/contract.js";
import type { InteractionLog } from "../interaction-log.js";
import { inputLength, type RecordedInteraction } from "../recorded-interaction.js";
import { DIGEST_BYTES, type DigestedMessages } from "./known-messages.js";

/** A recorded answer to which a client has added text. */
export interface ExtendedAnswer {
  /** Index of the interaction. */
  readonly index: number;
  /** Index of the message that begins with the answer among the request's messages. */
  readonly position: number;
}

/**
 * Finds answers to which a client has added text in the same message.
 *
 * For example, smolagents puts the stop string back and adds a description of the call that it made. The message then differs from the
 * recorded answer, although the model wrote the beginning of it. The messages before it must be those of the answer's request, and it
 * must begin with the whole text of the answer. Answers without text and answers with tool calls are not searched for.
 */
export class ExtendedAnswers {
  readonly #native: () => NativeSession;
  readonly #log: InteractionLog;
  readonly #filters: readonly MessageFilter[];
  readonly #digestKey: Uint8Array | undefined;
  /** Indices of the interactions by their number of input messages, which is the position of their answer. */
  readonly #byPosition = new Map<number, number[]>();
  /** Interactions that are not in the map yet: reading the messages of stored ones takes time. */
  #added: RecordedInteraction[] = [];

  constructor(
    native: () => NativeSession,
    log: InteractionLog,
    filters: readonly MessageFilter[],
    digestKey: Uint8Array | undefined,
  ) {
    this.#native = native;
    this.#log = log;
    this.#filters = filters;
    this.#digestKey = digestKey;
  }

  add(interaction: RecordedInteraction): void {
    this.#added.push(interaction);
  }

  clear(): void {
    this.#added = [];
    this.#byPosition.clear();
  }

  /**
   * Returns the recorded answer whose text is the longest beginning of the request's last answer; of several, that of the newest interaction.
   *
   * @param known index of the last message that is a recorded answer as it stands; -1 if there is none
   */
  find({ messages, digests, callIds }: DigestedMessages, known: number): ExtendedAnswer | undefined {
    const position = messages.findLastIndex(({ role }) => role === "assistant");
    const message = messages[position];
    if (!message || position <= known || position === messages.length - 1 || hasCalls(message)) return undefined;
    for (const answer of this.#listBeginnings(position, message)) {
      // The digests of a request that repeats the answer without the added text.
      const repeated = new Uint8Array((position + 2) * DIGEST_BYTES);
      repeated.set(digests.subarray(0, position * DIGEST_BYTES));
      const before =
        position > 0 ? repeated.subarray((position - 1) * DIGEST_BYTES, position * DIGEST_BYTES) : undefined;
      const canonical = canonicalMessages([answer], this.#filters);
      repeated.set(native.digestMessages(canonical, before, this.#digestKey), position * DIGEST_BYTES);
      const match = this.#native().findParent(repeated, callIds?.subarray(0, position + 2));
      if (match?.rule !== "continuation") continue;
      const found = this.#log.at(match.index);
      if (inputLength(found) === position && found.output[0]?.content === answer.content)
        return { index: found.index, position };
    }
    return undefined;
  }

  /** Returns the recorded answers at this position with which the message begins, the longest first. */
  #listBeginnings(position: number, { content }: Message): Message[] {
    const written = showAsText(content);
    const answers = new Map<string, Message>();
    for (const index of this.#listIndices(position)) {
      const { output } = this.#log.at(index);
      const [answer] = output;
      if (!answer || output.length > 1 || hasCalls(answer)) continue;
      const text = showAsText(answer.content);
      if (text.trim() !== "" && text.length < written.length && written.startsWith(text)) answers.set(text, answer);
    }
    return [...answers].sort(([a], [b]) => b.length - a.length).map(([, answer]) => answer);
  }

  #listIndices(position: number): readonly number[] {
    for (const interaction of this.#added) {
      const indices = this.#byPosition.get(inputLength(interaction));
      if (indices) indices.push(interaction.index);
      else this.#byPosition.set(inputLength(interaction), [interaction.index]);
    }
    this.#added = [];
    return this.#byPosition.get(position) ?? [];
  }
}

function hasCalls({ toolCalls }: Message): boolean {
  return toolCalls !== undefined && toolCalls.length > 0;
}
