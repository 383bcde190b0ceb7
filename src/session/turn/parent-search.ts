import { canonicalMessages } from "../../conversation/canonical.js";
import { isSystem, type Message } from "../../conversation/message.js";
import type { MessageFilter } from "../../conversation/text-filter.js";
import type { NativeSession, ParentMatch } from "../../native/contract.js";
import type { InteractionLog } from "../interaction-log.js";
import { inputLength, type RecordedInteraction } from "../recorded-interaction.js";
import { type ExtendedAnswer, ExtendedAnswers } from "./extended-answers.js";
import type { DigestedMessages } from "./known-messages.js";
import { UndeclaredCalls } from "./undeclared-calls.js";

/** Maximum number of equal interactions that a search looks at. SDKs make fewer attempts. */
const MAX_TWINS = 16;

/** A request, as far as the search for its parent reads it. */
export interface SearchedRequest extends DigestedMessages {
  /** The interaction that the request names as its predecessor. */
  readonly previous: RecordedInteraction | undefined;
}

/** Tells a search which answers did not reach the client, as far as this is known. */
interface Deliveries {
  /** False if all answers reached the client. */
  readonly mayLeaveOut: boolean;
  /** Returns the reason if the answer of an interaction did not reach the client; undefined if it did. */
  leftOut(index: number): string | undefined;
}

/**
 * Finds the interaction of a session that a request continues.
 *
 * The native session compares digests of the messages. This class adds what digests cannot decide: answers whose calls the
 * client replaced, and interactions that differ in their tokens only. Of these, the parent is one whose answer reached the client.
 */
export class ParentSearch {
  readonly #native: () => NativeSession;
  readonly #log: InteractionLog;
  readonly #filters: readonly MessageFilter[];
  readonly #delivery: Deliveries;
  readonly #undeclaredCalls = new UndeclaredCalls();
  readonly #answers: ExtendedAnswers;
  #changes = 0;

  /**
   * @param native returns the current native session, which unloading replaces
   * @param digestKey the key of the session's digests. Default: the key of this process
   */
  constructor(
    native: () => NativeSession,
    log: InteractionLog,
    filters: readonly MessageFilter[],
    delivery: Deliveries,
    digestKey?: Uint8Array,
  ) {
    this.#answers = new ExtendedAnswers(native, log, filters, digestKey);
    this.#native = native;
    this.#log = log;
    this.#filters = filters;
    this.#delivery = delivery;
  }

  /** Adds a recorded interaction to the answers that are searched. */
  add(interaction: RecordedInteraction): void {
    this.#changes++;
    this.#undeclaredCalls.add(interaction.index, interaction.undeclaredCalls);
    this.#answers.add(interaction);
  }

  clear(): void {
    this.#changes++;
    this.#undeclaredCalls.clear();
    this.#answers.clear();
  }

  /** Number of times that interactions were added or removed. */
  get changes(): number {
    return this.#changes;
  }

  /** False if all answers reached the client, so that the result of a search depends on {@link changes} only. */
  get dependsOnDelivery(): boolean {
    return this.#delivery.mayLeaveOut;
  }

  /**
   * Returns the parent of a request. If several interactions differ in their tokens or in white space only, it is the one that the
   * request names, else the newest whose answer reached the client, else the newest. Of those that reached it, one with exactly
   * the text of the request comes first.
   */
  find(request: SearchedRequest): ParentMatch | undefined {
    const { digests, callIds } = request;
    const match = this.#findReplacedAnswer(request) ?? this.#native().findParent(digests, callIds);
    if (match?.rule !== "continuation") return match;
    const index = this.#chooseTwin(match.index, request);
    return index === match.index ? match : { index, rule: match.rule };
  }

  /**
   * Returns the recorded answer to which the client has added text, if the request continues it; see {@link ExtendedAnswers}.
   *
   * @param parent the parent of the request
   */
  findExtended(request: SearchedRequest, parent: ParentMatch | undefined): ExtendedAnswer | undefined {
    const known = parent?.rule === "continuation" ? inputLength(this.#log.at(parent.index)) : -1;
    const found = this.#answers.find(request, known);
    return found && { ...found, index: this.#chooseTwin(found.index, request) };
  }

  /** Chooses between an interaction and its twins; see {@link find}. */
  #chooseTwin(index: number, { previous, messages }: SearchedRequest): number {
    if (previous?.index === index) return index;
    const isNamed = previous !== undefined && this.#isTwin(this.#log.at(index), previous);
    return isNamed ? previous.index : this.#findDelivered(index, messages);
  }

  #findDelivered(newest: number, messages: readonly Message[]): number {
    let delivered: number | undefined;
    let index: number | undefined = newest;
    for (let passed = 0; index !== undefined && passed < MAX_TWINS; passed++) {
      if (this.#delivery.leftOut(index) === undefined) {
        if (hasTextOf(messages, this.#log.at(index))) return index;
        delivered ??= index;
      }
      index = this.#native().olderTwin(index);
    }
    return delivered ?? newest;
  }

  /** Returns the interactions that a request with this parent continues, the parent first. */
  *listContinued(parent: ParentMatch | undefined): Generator<RecordedInteraction> {
    let index = parent?.rule === "continuation" ? parent.index : -1;
    for (; index >= 0; index = this.#log.at(index).parent) yield this.#log.at(index);
  }

  /** Returns true if a request continues the newest call, except that its system messages at the start differ. */
  changesSystem(messages: readonly Message[]): boolean {
    const newest = this.#log.newest;
    return newest !== undefined && continuesExceptSystem(this.#log.readMessages(newest), messages, this.#filters);
  }

  /** Returns the interaction whose answer has calls that the client has replaced: see {@link UndeclaredCalls}. */
  #findReplacedAnswer({ messages, digests, callIds }: SearchedRequest): ParentMatch | undefined {
    const found = this.#undeclaredCalls.findLast(messages);
    const message = found && messages[found.position];
    if (!message) return undefined;
    const parent = this.#log.at(found.index);
    const [answer] = parent.output;
    if (!answer || parent.output.length > 1 || inputLength(parent) !== found.position) return undefined;
    // A later interaction may have the replacement in its messages. It is then the nearer parent.
    const match = this.#native().findParent(digests, callIds);
    if (match && inputLength(this.#log.at(match.index)) > found.position) return match;
    const now = [...messages.slice(0, found.position), this.#undeclaredCalls.restore(message, answer)];
    const isSame = isSameConversation([...this.#log.readMessages(parent), answer], now, this.#filters);
    return isSame ? { index: found.index, rule: "continuation" } : match;
  }

  /** Returns true if two interactions have the same messages and answers. */
  #isTwin(one: RecordedInteraction, other: RecordedInteraction): boolean {
    if (inputLength(one) !== inputLength(other)) return false;
    const read = (interaction: RecordedInteraction) => [...this.#log.readMessages(interaction), ...interaction.output];
    return isSameConversation(read(one), read(other), this.#filters);
  }
}

/** Returns true if both are equal, as the search for a parent compares messages. */
function isSameConversation(
  one: readonly Message[],
  other: readonly Message[],
  filters: readonly MessageFilter[],
): boolean {
  const [a, b] = [canonicalMessages(one, filters), canonicalMessages(other, filters)];
  return a.length === b.length && startsWith(b, a);
}

/**
 * Returns true if `now` is longer than `before` and begins with it, system messages at the start aside. `before` must have
 * other messages too.
 */
function continuesExceptSystem(
  before: readonly Message[],
  now: readonly Message[],
  filters: readonly MessageFilter[],
): boolean {
  const [a, b] = [before, now].map((messages) => canonicalMessages(withoutSystem(messages), filters));
  return a !== undefined && b !== undefined && a.length > 0 && a.length < b.length && startsWith(b, a);
}

function startsWith(messages: readonly string[], start: readonly string[]): boolean {
  return start.every((message, i) => message === messages[i]);
}

function withoutSystem(messages: readonly Message[]): readonly Message[] {
  const first = messages.findIndex((message) => !isSystem(message));
  return first < 0 ? [] : messages.slice(first);
}

/** Returns true if the request has the recorded answer with exactly its text, and not with other white space. */
function hasTextOf(messages: readonly Message[], recorded: RecordedInteraction): boolean {
  const content = recorded.output[0]?.content;
  return typeof content !== "string" || messages[inputLength(recorded)]?.content === content;
}
