import { runAtOnce, type Steps } from "../../src/support/async/steps.js";

/** Runs asynchronous work and counts the iterations of the event loop until it ends. */
export async function countIterations<T>(work: () => Promise<T>): Promise<{ result: T; iterations: number }> {
  let iterations = 0;
  const count = () => {
    iterations++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  try {
    const result = await work();
    return { result, iterations };
  } finally {
    clearImmediate(next);
  }
}

/** Runs steps at once and counts them. */
export function countSteps<T>(steps: Steps<T>): { result: T; count: number } {
  let count = 1;
  function* counted(): Steps<T> {
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      count++;
      yield;
    }
  }
  return { result: runAtOnce(counted()), count };
}
