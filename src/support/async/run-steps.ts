import { performance } from "node:perf_hooks";
import { eventLoop } from "./event-loop.js";
import type { Steps } from "./steps.js";

/** Number of characters from which each step of the work on a text may take some milliseconds. */
export const HUGE_TEXT = 1 << 18;

/** Milliseconds of one slice. Code that V8 has not compiled yet needs up to ten times as long as later. */
export const SLICE_MS = 4;

/** Runs each step in a separate iteration of the event loop. The first step runs in the current iteration. */
export async function runInIterations<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await eventLoop.yield();
  }
}

/** Runs steps in the current iteration of the event loop for some milliseconds, then in the next ones. */
export function runInSlices<T>(steps: Steps<T>): Promise<T> {
  return new Slices().run(steps);
}

/**
 * Runs several pieces of work, one after the other, in slices that they share. With {@link runInSlices}, each piece would begin a slice of
 * its own, and several of them could run in one iteration of the event loop.
 */
export class Slices {
  #until = performance.now() + SLICE_MS;

  /** Goes on in the current slice. When it is used up, begins a new one in the next iteration. */
  async run<T>(steps: Steps<T>): Promise<T> {
    for (;;) {
      do {
        const step = steps.next();
        if (step.done) return step.value;
      } while (performance.now() < this.#until);
      await this.pause();
    }
  }

  /** Begins a new slice in the next iteration if the current one is used up. Call it between pieces of asynchronous work. */
  async pause(): Promise<void> {
    if (performance.now() < this.#until) return;
    await eventLoop.yield();
    this.#until = performance.now() + SLICE_MS;
  }
}

/** Runs the steps of work on a text: in turns if it has at least {@link HUGE_TEXT} characters, otherwise in slices. */
export function runBySize<T>(steps: Steps<T>, characters: number): Promise<T> {
  return characters < HUGE_TEXT ? runInSlices(steps) : runInIterations(steps);
}
