import type { Steps } from "./steps.js";
/** Number of characters from which each step of the work on a text may take some milliseconds. */
export declare const HUGE_TEXT: number;
/** Milliseconds of one slice. Code that V8 has not compiled yet needs up to ten times as long as later. */
export declare const SLICE_MS = 4;
/** Runs each step in a separate iteration of the event loop. The first step runs in the current iteration. */
export declare function runInTurns<T>(steps: Steps<T>): Promise<T>;
/** Runs steps in the current iteration of the event loop for some milliseconds, then in the next ones. */
export declare function runInSlices<T>(steps: Steps<T>): Promise<T>;
/** Runs the steps of work on a text: in turns if it has at least {@link HUGE_TEXT} characters, otherwise in slices. */
export declare function runBySize<T>(steps: Steps<T>, characters: number): Promise<T>;
