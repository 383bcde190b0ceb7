import { WaitQueue } from "../../support/async/wait-queue.js";
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

/** Hands out sequences to calls, each to one at a time; calls that find none wait in the order in which they came. */
export class SequencePool<S> {
  readonly #slots: readonly Slot<S>[];
  readonly #waiting = new WaitQueue<Slot<S>>();
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
    const slot = chooseSlot(free, prompt, affinityKey) ?? (await this.#waiting.wait(signal));
    slot.busy = true;
    slot.affinityKey = affinityKey;
    slot.lastUsed = ++this.#clock;
    return slot;
  }

  release(slot: Slot<S>): void {
    // A sequence stays busy if it passes directly to the next call.
    if (this.#waiting.serve(slot)) return;
    slot.busy = false;
    if (this.#slots.every(({ busy }) => !busy)) this.#idle?.();
  }

  /** Turns away the calls that wait, and resolves when the last sequence is back. */
  async drain(reason: unknown): Promise<void> {
    this.#waiting.rejectAll(reason);
    if (this.#slots.some(({ busy }) => busy)) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
