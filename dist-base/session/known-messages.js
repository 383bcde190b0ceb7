import { canonicalMessagesInSteps } from "../conversation/canonical.js";
import { native } from "../native/addon.js";
import { HUGE_TEXT } from "../support/async/run-steps.js";
import { digestCallIds } from "./call-ids.js";
import { sameMessage } from "./interaction.js";
const DIGEST_BYTES = 16;
const NO_MESSAGES = { messages: [], digests: new Uint8Array(), callIds: undefined };
/**
 * Digests the messages of requests and reuses the result of the previous request.
 *
 * A conversation grows at its end. Messages that a request shares with the previous one are compared instead of
 * digested, which takes a tenth of the time, and are kept in memory once.
 */
export class KnownMessages {
    #filters;
    #digestKey;
    #last = NO_MESSAGES;
    /**
     * @param filters text that matches them is not digested
     * @param digestKey the key of the session's digests. Default: the key of this process
     */
    constructor(filters, digestKey) {
        this.#filters = filters;
        this.#digestKey = digestKey;
    }
    /**
     * Returns the messages with their digests. Messages that the previous request had too are the same objects. Other requests may
     * be digested between the steps.
     */
    *digest(messages) {
        const last = this.#last;
        const known = countShared(messages, last.messages);
        const shared = last.digests.subarray(0, known * DIGEST_BYTES);
        const added = messages.slice(known);
        const canonical = yield* canonicalMessagesInSteps(added, this.#filters);
        const characters = canonical.reduce((sum, { length }) => sum + length, 0);
        if (characters >= HUGE_TEXT)
            yield;
        const digests = new Uint8Array(messages.length * DIGEST_BYTES);
        digests.set(shared);
        const before = known > 0 ? shared.subarray(-DIGEST_BYTES) : undefined;
        digests.set(native.digestMessages(canonical, before, this.#digestKey), shared.length);
        const callIds = digestCallIds(added, last.callIds?.subarray(0, known) ?? known, this.#digestKey);
        const digested = { messages: [...last.messages.slice(0, known), ...added], digests, callIds };
        this.#last = digested;
        return digested;
    }
    clear() {
        this.#last = NO_MESSAGES;
    }
}
/** Returns how many messages at the start are equal to those of the previous request, field by field. */
function countShared(messages, last) {
    let shared = 0;
    for (; shared < messages.length; shared++) {
        const [a, b] = [messages[shared], last[shared]];
        if (!a || !b || !sameMessage(a, b))
            break;
    }
    return shared;
}
//# sourceMappingURL=known-messages.js.map