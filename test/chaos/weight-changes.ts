import type { Random } from "../helpers/random.js";
import type { FaultyEngine } from "../soak/engine/faulty-engine.js";

/** Loads other weights into the engine again and again, some of them with an abort of all generations. */
export class WeightChanges {
  readonly #engine: FaultyEngine;
  readonly #random: Random;
  #version = 0;
  #timer: NodeJS.Timeout;

  constructor(engine: FaultyEngine, random: Random) {
    this.#engine = engine;
    this.#random = random;
    this.#timer = this.#schedule();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #schedule(): NodeJS.Timeout {
    return setTimeout(
      () => {
        this.#engine.load(++this.#version, { abort: this.#random.chance(0.5) });
        this.#timer = this.#schedule();
      },
      this.#random.integer(100, 800),
    );
  }
}
