/** Long work that yields after each of its steps, and returns its result. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps in the current iteration of the event loop. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Returns true if a step of `size` items ends before the item at `index`. */
export function endsStep(index: number, size: number): boolean {
  return index > 0 && index % size === 0;
}
