import type { AbortSource } from "../../../support/async/abort-source.js";
import { untilAborted } from "../../../support/async/until-aborted.js";
import type { PauseMode } from "../../engine.js";

export interface PauseListener {
  pauseBegins(): void;
  /** Called when the servers are told to end the pause, before they run again. */
  pauseEnds(): void;
}

/** Holds requests back while their engine is paused. */
export class PauseHold {
  #mode: PauseMode | undefined;
  #mayRun = true;
  #mayKeep = false;
  readonly #listeners = new Set<PauseListener>();
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

  /** False during a pause, until the servers are told to end it. Generations that stay on the servers do not run meanwhile. */
  get mayRun(): boolean {
    return this.#mayRun;
  }

  /** True if generations may go on after the pause: it does not cut all of them. */
  get mayKeep(): boolean {
    return this.#mayKeep;
  }

  listen(listener: PauseListener): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** @param mayKeep servers may keep generations. Default: in mode `keep` */
  close(mode: PauseMode, mayKeep = mode === "keep"): void {
    if (this.#mayRun) for (const listener of this.#listeners) listener.pauseBegins();
    this.#mayKeep = mayKeep || (!this.#mayRun && this.#mayKeep);
    this.#mode = mode;
    this.#mayRun = false;
    this.#pauses++;
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Notes that the servers are told to end the pause. Requests are still held. */
  resume(): void {
    if (this.#mayRun) return;
    for (const listener of this.#listeners) listener.pauseEnds();
    this.#mayRun = true;
  }

  open(): void {
    this.resume();
    this.#mode = undefined;
    this.#opened = undefined;
    this.#open();
  }

  /** Resolves when requests may be sent. Rejects with the signal's reason if the signal aborts first. */
  async pass(signal: AbortSource): Promise<void> {
    while (this.#opened) await untilAborted(this.#opened, signal);
  }
}
