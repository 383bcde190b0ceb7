import { canonicalMessagesInSteps } from "../../conversation/canonical.js";
import type { Message } from "../../conversation/message.js";
import type { MessageFilter } from "../../conversation/text-filter.js";
import { native } from "../../native/addon.js";
import { HUGE_TEXT } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import { sameMessage, shareTexts } from "../recorded-interaction.js";
import { digestCallIds } from "./call-ids.js";

/** Length of the digest of one message. */
export const DIGEST_BYTES = 16;

export interface DigestedMessages {
  readonly messages: readonly Message[];
  /** For each message, the chain digest of the messages up to it. */
  readonly digests: Uint8Array;
  /** For each message, the hash of the tool call ids up to it; undefined if there are none. See call-ids.ts. */
  readonly callIds: BigUint64Array | undefined;
}

const NO_MESSAGES: DigestedMessages = { messages: [], digests: new Uint8Array(), callIds: undefined };

/**
 * Digests the messages of requests and reuses the result of the previous request.
 *
 * A conversation grows at its end. Messages that a request shares with the previous one are compared instead of
 * digested, which takes a tenth of the time, and are kept in memory once.
 */
export class KnownMessages {
  readonly #filters: readonly MessageFilter[];
  readonly #digestKey: Uint8Array | undefined;
  readonly #start: Uint8Array | undefined;
  #last: DigestedMessages = NO_MESSAGES;
  /** Number of messages at the start of the last request whose texts are shared with recorded ones. */
  #shared = 0;

  /**
   * @param filters text that matches them is not digested
   * @param digestKey the key of the session's digests. Default: the key of this process
   * @param start the digest from which chain digests begin. Default: none
   */
  constructor(filters: readonly MessageFilter[], digestKey?: Uint8Array, start?: Uint8Array) {
    this.#start = start;
    this.#filters = filters;
    this.#digestKey = digestKey;
  }

  /**
   * Returns the messages with their digests. Messages that the previous request had too are the same objects. Other requests may
   * be digested between the steps.
   */
  *digest(messages: readonly Message[]): Steps<DigestedMessages> {
    const last = this.#last;
    const known = countShared(messages, last.messages);
    const shared = last.digests.subarray(0, known * DIGEST_BYTES);
    const added = messages.slice(known);
    const canonical = yield* canonicalMessagesInSteps(added, this.#filters);
    const characters = canonical.reduce((sum, { length }) => sum + length, 0);
    if (characters >= HUGE_TEXT) yield;
    const digests = new Uint8Array(messages.length * DIGEST_BYTES);
    digests.set(shared);
    const before = known > 0 ? shared.subarray(-DIGEST_BYTES) : this.#start;
    digests.set(native.digestMessages(canonical, before, this.#digestKey), shared.length);
    const callIds = digestCallIds(added, last.callIds?.subarray(0, known) ?? known, this.#digestKey);
    const digested = { messages: [...last.messages.slice(0, known), ...added], digests, callIds };
    this.#last = digested;
    this.#shared = Math.min(this.#shared, known);
    return digested;
  }

  /**
   * Keeps recorded messages instead of equal ones of the last request. A request repeats each answer, so without this the text of an
   * answer would be in memory twice.
   *
   * @param request a digested request. Nothing changes if another one was digested after it
   * @param recorded the messages that it repeats
   */
  share({ digests }: Pick<DigestedMessages, "digests">, recorded: readonly Message[]): void {
    const last = this.#last;
    if (digests !== last.digests || recorded.length <= this.#shared) return;
    const messages = last.messages.map((message, i) => {
      const known = i < this.#shared ? undefined : recorded[i];
      return known ? shareTexts(message, known) : message;
    });
    this.#last = { messages, digests, callIds: last.callIds };
    this.#shared = recorded.length;
  }

  clear(): void {
    this.#last = NO_MESSAGES;
    this.#shared = 0;
  }
}

/** Returns how many messages at the start are equal to those of the previous request, field by field. */
function countShared(messages: readonly Message[], last: readonly Message[]): number {
  let shared = 0;
  for (; shared < messages.length; shared++) {
    const [a, b] = [messages[shared], last[shared]];
    if (!a || !b || !sameMessage(a, b)) break;
  }
  return shared;
}
