import type { AbortSource } from "../../support/async/abort-source.js";
import { FairQueue } from "../../support/async/fair-queue.js";
import type { EngineLoad } from "../engine.js";
import { CachedTokens } from "./cached-tokens.js";
import { chooseSlot } from "./choose-slot.js";

/** One sequence of the context, with the tokens in its cache. */
export interface Slot<S> {
  /** Replaced when the engine's weights are: see {@link SequencePool.replaceSequences}. */
  sequence: S;
  readonly cached: CachedTokens;
  affinityKey: string | undefined;
  lastUsed: number;
  busy: boolean;
}

/** Lends each sequence to one call at a time. If none is free, calls wait, and their sessions take turns. */
export class SequencePool<S> {
  readonly #slots: readonly Slot<S>[];
  readonly #waiting = new FairQueue<Slot<S>>();
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

  get load(): EngineLoad {
    const running = this.#slots.filter(({ busy }) => busy).length;
    return { running, waiting: this.#waiting.length, maxRunning: this.#slots.length };
  }

  /**
   * Waits for a free sequence. Rejects with the signal's reason if the signal aborts first.
   *
   * @param affinityKey the same for all calls of one session
   */
  async acquire(prompt: Int32Array, affinityKey: string, signal: AbortSource): Promise<Slot<S>> {
    signal.throwIfAborted();
    const free = this.#slots.filter(({ busy }) => !busy);
    const slot = chooseSlot(free, prompt, affinityKey) ?? (await this.#waiting.wait(affinityKey, signal));
    slot.busy = true;
    slot.affinityKey = affinityKey;
    slot.lastUsed = ++this.#clock;
    return slot;
  }

  release(slot: Slot<S>): void {
    // The sequence stays busy if a waiting call takes it.
    if (this.#waiting.serve(slot)) return;
    slot.busy = false;
    if (this.#slots.every(({ busy }) => !busy)) this.#idle?.();
  }

  /** Replaces all sequences by empty ones of new weights. Calls keep their slots. Nothing may compute meanwhile. */
  replaceSequences(sequences: readonly S[]): void {
    for (const [index, slot] of this.#slots.entries()) {
      slot.sequence = sequences[index] ?? slot.sequence;
      slot.cached.truncate(0);
    }
  }

  /** Rejects waiting calls with `reason`, and resolves when every sequence was released. */
  async drain(reason: unknown): Promise<void> {
    this.#waiting.rejectAll(reason);
    if (this.#slots.some(({ busy }) => busy)) await new Promise<void>((resolve) => (this.#idle = resolve));
  }
}
