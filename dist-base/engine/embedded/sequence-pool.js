import { FairQueue } from "../../support/async/fair-queue.js";
import { CachedTokens } from "./cached-tokens.js";
import { chooseSlot } from "./choose-slot.js";
/** Lends each sequence to one call at a time. If none is free, calls wait, and their sessions take turns. */
export class SequencePool {
    #slots;
    #waiting = new FairQueue();
    #clock = 0;
    #idle;
    constructor(sequences, contextSize) {
        this.#slots = sequences.map((sequence) => ({
            sequence,
            cached: new CachedTokens(contextSize),
            affinityKey: undefined,
            lastUsed: 0,
            busy: false,
        }));
    }
    get load() {
        const running = this.#slots.filter(({ busy }) => busy).length;
        return { running, waiting: this.#waiting.length, maxRunning: this.#slots.length };
    }
    /**
     * Waits for a free sequence. Rejects with the signal's reason if the signal aborts first.
     *
     * @param affinityKey the same for all calls of one session
     */
    async acquire(prompt, affinityKey, signal) {
        signal.throwIfAborted();
        const free = this.#slots.filter(({ busy }) => !busy);
        const slot = chooseSlot(free, prompt, affinityKey) ?? (await this.#waiting.wait(affinityKey, signal));
        slot.busy = true;
        slot.affinityKey = affinityKey;
        slot.lastUsed = ++this.#clock;
        return slot;
    }
    release(slot) {
        // The sequence stays busy if a waiting call takes it.
        if (this.#waiting.serve(slot))
            return;
        slot.busy = false;
        if (this.#slots.every(({ busy }) => !busy))
            this.#idle?.();
    }
    /** Replaces all sequences by empty ones of new weights. Calls keep their slots. Nothing may compute meanwhile. */
    replaceSequences(sequences) {
        for (const [index, slot] of this.#slots.entries()) {
            slot.sequence = sequences[index] ?? slot.sequence;
            slot.cached.truncate(0);
        }
    }
    /** Rejects waiting calls with `reason`, and resolves when every sequence was released. */
    async drain(reason) {
        this.#waiting.rejectAll(reason);
        if (this.#slots.some(({ busy }) => busy))
            await new Promise((resolve) => (this.#idle = resolve));
    }
}
//# sourceMappingURL=sequence-pool.js.map