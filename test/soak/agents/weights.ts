import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../helpers/random.js";
import type { FaultyEngine } from "../engine/faulty-engine.js";
import type { Trainer } from "./trainer.js";

/** Changes the engine's weights again and again, in all the ways in which trainers do it. */
export class WeightUpdates {
  readonly #trainer: Trainer;
  readonly #engine: FaultyEngine;
  readonly #random: Random;
  #version = 0;
  #stopped = false;
  #pauses = 0;
  readonly #over: Promise<void>;

  constructor(trainer: Trainer, engine: FaultyEngine, random: Random) {
    this.#trainer = trainer;
    this.#engine = engine;
    this.#random = random;
    this.#over = this.#run();
    this.#over.catch(() => undefined);
  }

  get versions(): number {
    return this.#version;
  }

  get pauses(): number {
    return this.#pauses;
  }

  /** Resolves when the last change is complete. Rejects if one failed. */
  stop(): Promise<void> {
    this.#stopped = true;
    return this.#over;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      await sleep(this.#random.integer(100, 800));
      this.#version++;
      if (this.#random.chance(0.4)) await this.#pausedUpdate();
      else this.#engine.load(this.#version, { abort: this.#random.chance(0.5) });
    }
  }

  async #pausedUpdate(): Promise<void> {
    this.#pauses++;
    await this.#trainer.order("/rl/engine/pause", { mode: this.#random.pick(["abort", "keep"]) });
    this.#engine.load(this.#version, { abort: false });
    await this.#trainer.order("/rl/set_version", { version: this.#version });
    await this.#trainer.order("/rl/engine/resume", {});
  }
}
