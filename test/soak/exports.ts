import type { Random } from "../helpers/random.js";
import type { Attempt } from "./agents/attempt.js";
import type { Trainer } from "./agents/trainer.js";
import type { BatchEvidence } from "./check/check-batch.js";

/** Sessions of one batch. */
const BATCH = 16;

/** Exports sessions in batches while others go on. Exports each batch twice: with `include_undelivered` and without. */
export class Exports {
  readonly #trainer: Trainer;
  readonly #random: Random;
  readonly #onBatch: (evidence: BatchEvidence) => void;
  #waiting: { readonly session: string; readonly attempts: readonly Attempt[] }[] = [];
  #running: Promise<void> = Promise.resolve();

  constructor(trainer: Trainer, random: Random, onBatch: (evidence: BatchEvidence) => void) {
    this.#trainer = trainer;
    this.#random = random;
    this.#onBatch = onBatch;
  }

  /** Adds an ended session with all of its calls. Exports a batch when there are enough sessions. */
  add(session: string, attempts: readonly Attempt[]): void {
    this.#waiting.push({ session, attempts });
    if (this.#waiting.length >= BATCH) this.#export();
  }

  /** Exports the rest. Rejects if an export failed. */
  async finish(): Promise<void> {
    if (this.#waiting.length > 0) this.#export();
    await this.#running;
  }

  #export(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    const layout = this.#random.pick(["padded", "packed"]);
    this.#running = this.#running.then(async () => {
      const ids = batch.map(({ session }) => session);
      const full = await this.#trainer.exportBatch(ids, { layout, include_undelivered: true });
      const byDefault = await this.#trainer.exportBatch(ids, { layout });
      this.#onBatch({ full, byDefault, attempts: batch.flatMap(({ attempts }) => attempts) });
    });
    this.#running.catch(() => undefined);
  }
}
