import { canonicalMessages } from "../conversation/canonical.js";
import type { Message } from "../conversation/message.js";
import { native } from "../native/addon.js";
import { digestCallIds } from "./call-ids.js";
import { sameMessage } from "./interaction.js";

const DIGEST_BYTES = 16;

export interface DigestedMessages {
  readonly messages: readonly Message[];
  /** The chain digest of each message and those before it. */
  readonly digests: Uint8Array;
  /** The ids of the tool calls up to each message; undefined if there are none. See call-ids.ts. */
  readonly callIds: BigUint64Array | undefined;
}

const NO_MESSAGES: DigestedMessages = { messages: [], digests: new Uint8Array(), callIds: undefined };

/**
 * Digests the messages of one request after the other. A conversation grows at its end: what a request shares with the one
 * before it is compared, which takes a tenth of the time of a digest, and is kept in memory once.
 */
export class KnownMessages {
  readonly #filters: readonly RegExp[];
  #last: DigestedMessages = NO_MESSAGES;

  /** @param filters what they match is not digested */
  constructor(filters: readonly RegExp[]) {
    this.#filters = filters;
  }

  /** The same messages, those of the last request among them as the same objects, with their digests. */
  digest(messages: readonly Message[]): DigestedMessages {
    const known = this.#sharedWith(messages);
    const shared = this.#last.digests.subarray(0, known * DIGEST_BYTES);
    const added = messages.slice(known);
    const canonical = canonicalMessages(added, this.#filters);
    const digests = new Uint8Array(messages.length * DIGEST_BYTES);
    digests.set(shared);
    const before = known > 0 ? shared.subarray(-DIGEST_BYTES) : undefined;
    digests.set(native.digestMessages(canonical, before), shared.length);
    const callIds = digestCallIds(added, this.#last.callIds?.subarray(0, known) ?? known);
    this.#last = { messages: [...this.#last.messages.slice(0, known), ...added], digests, callIds };
    return this.#last;
  }

  clear(): void {
    this.#last = NO_MESSAGES;
  }

  /** How many messages the last request began with too, field by field. */
  #sharedWith(messages: readonly Message[]): number {
    const last = this.#last.messages;
    let shared = 0;
    for (; shared < messages.length; shared++) {
      const [a, b] = [messages[shared], last[shared]];
      if (!a || !b || !sameMessage(a, b)) break;
    }
    return shared;
  }
}
