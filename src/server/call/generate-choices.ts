import { onAbort } from "../../support/async/on-abort.js";
import { turns } from "../../support/async/turns.js";
import type { ServerContext } from "../context.js";
import { type GenerationOutcome, generate } from "./generate.js";
import type { ChoiceJob } from "./record-choice.js";

export interface GeneratedChoice {
  readonly job: ChoiceJob;
  readonly outcome: GenerationOutcome;
}

/**
 * Has the engine generate all choices of a call at the same time. They go to the same server, which keeps their prompt in its cache.
 *
 * If one of them fails, the others are aborted, and the call fails with its error. Each choice after the first sends its request in a
 * separate iteration of the event loop, because a request can contain a whole context and a long schema.
 *
 * @param signal aborts the call
 * @param controller the controller of all jobs
 */
export function generateChoices(
  context: ServerContext,
  jobs: readonly ChoiceJob[],
  signal: AbortSignal,
  controller: AbortController,
): Promise<GeneratedChoice[]> {
  const [job] = jobs;
  if (job && jobs.length === 1) return generate(context, job).then((outcome) => [{ job, outcome }]);
  return generateTogether(context, jobs, signal, controller);
}

async function generateTogether(
  context: ServerContext,
  jobs: readonly ChoiceJob[],
  signal: AbortSignal,
  controller: AbortController,
): Promise<GeneratedChoice[]> {
  using _linked = onAbort(signal, () => controller.abort(signal.reason));
  const running = jobs.map(async (job) => {
    try {
      const whenTurn = job.choice.index === 0 ? undefined : () => turns.next();
      return { job, outcome: await generate(context, job, whenTurn) };
    } catch (error) {
      controller.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  controller.signal.throwIfAborted();
  return Promise.all(running);
}
