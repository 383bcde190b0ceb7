import { CachedTokens } from "./cached-tokens.js";
import { chooseSlot } from "./choose-slot.js";

/** One sequence of the context, and what is in its cache. */
export interface Slot<S> {
  readonly sequence: S;
  readonly cached: CachedTokens;
  affinityKey: string | undefined;
  lastUsed: number;
  busy: boolean;
}

interface Waiter<S> {
  readonly prompt: Int32Array;
  readonly affinityKey: string;
  readonly resolve: (slot: Slot<S>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Hands out sequences to calls, each to one at a time; calls that find none wait in the order in which they came. */
export class SequencePool<S> {
  readonly #slots: readonly Slot<S>[];
  readonly #waiting = new Set<Waiter<S>>();
  #clock = 0;
  #idle: (() => void) | undefined;

  constructor(sequences: readonly S[], contextSize: number) {
    this.#slots = sequences.map((sequence) => ({
      sequence,
      cached: new CachedTokens(contextSize),
      affinityKey: undefined,
      lastUsed: 0,
      busy: false,
    }));
  }

  /** Rejects with the signal's reason when it is aborted while the call waits. */
  async acquire(prompt: Int32Array, affinityKey: string, signal: AbortSignal): Promise<Slot<S>> {
    signal.throwIfAborted();
    const free = this.#slots.filter(({ busy }) => !busy);
    const slot = chooseSlot(free, prompt, affinityKey);
    return slot ? this.#take(slot, affinityKey) : await this.#wait(prompt, affinityKey, signal);
  }

  async #wait(prompt: Int32Array, affinityKey: string, signal: AbortSignal): Promise<Slot<S>> {
    let leave = () => {};
    try {
      return await new Promise<Slot<S>>((resolve, reject) => {
        const waiter: Waiter<S> = { prompt, affinityKey, resolve, reject };
        this.#waiting.add(waiter);
        leave = () => {
          this.#waiting.delete(waiter);
          reject(signal.reason);
        };
        signal.addEventListener("abort", leave, { once: true });
      });
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #take(slot: Slot<S>, affinityKey: string): Slot<S> {
    slot.busy = true;
    slot.affinityKey = affinityKey;
    slot.lastUsed = ++this.#clock;
    return slot;
  }

  release(slot: Slot<S>): void {
    slot.busy = false;
    const [next] = this.#waiting;
    if (next) {
      this.#waiting.delete(next);
      next.resolve(this.#take(slot, next.affinityKey));
    } else if (this.#slots.every(({ busy }) => !busy)) this.#idle?.();
  }

  /** Turns away the calls that wait, and resolves when the last sequence is back. */
  async drain(reason: unknown): Promise<void> {
    for (const { reject } of this.#waiting) reject(reason);
    this.#waiting.clear();
    if (this.#slots.some(({ busy }) => busy)) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
