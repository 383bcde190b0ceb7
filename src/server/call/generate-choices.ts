import type { AbortSource } from "../../support/async/abort-source.js";
import type { AbortSwitch } from "../../support/async/abort-switch.js";
import { eventLoop } from "../../support/async/event-loop.js";
import { onAbort } from "../../support/async/on-abort.js";
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
 * @param call aborts the call
 * @param all aborts all jobs
 */
export function generateChoices(
  context: ServerContext,
  jobs: readonly ChoiceJob[],
  call: AbortSource,
  all: AbortSwitch,
): Promise<GeneratedChoice[]> {
  const [job] = jobs;
  if (job && jobs.length === 1) return generate(context, job).then((outcome) => [{ job, outcome }]);
  return generateTogether(context, jobs, call, all);
}

async function generateTogether(
  context: ServerContext,
  jobs: readonly ChoiceJob[],
  call: AbortSource,
  all: AbortSwitch,
): Promise<GeneratedChoice[]> {
  using _linked = onAbort(call, () => all.abort(call.reason));
  const running = jobs.map(async (job) => {
    try {
      const whenTurn = job.choice.index === 0 ? undefined : () => eventLoop.yield();
      return { job, outcome: await generate(context, job, whenTurn) };
    } catch (error) {
      all.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(running);
  all.throwIfAborted();
  return Promise.all(running);
}
