import type { AbortSource } from "../../../support/async/abort-source.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import type { PauseMode } from "../../engine.js";

/** Holds requests back while their engine is paused. */
export class PauseHold {
  #mode: PauseMode | undefined;
  #pauses = 0;
  #opened: Promise<void> | undefined;
  #open: () => void = () => {};

  /** The mode of the current pause; undefined if the engine is not paused. */
  get mode(): PauseMode | undefined {
    return this.#mode;
  }

  /** Number of pauses so far. */
  get pauses(): number {
    return this.#pauses;
  }

  close(mode: PauseMode): void {
    this.#mode = mode;
    this.#pauses++;
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#mode = undefined;
    this.#opened = undefined;
    this.#open();
  }

  /** Resolves when requests may be sent. Rejects with the signal's reason if the signal aborts first. */
  async pass(signal: AbortSource): Promise<void> {
    while (this.#opened) await untilAborted(this.#opened, signal);
  }
}
