import type { ServerContext } from "../context.js";
import { type GenerationOutcome } from "./generate.js";
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
export declare function generateChoices(context: ServerContext, jobs: readonly ChoiceJob[], signal: AbortSignal, controller: AbortController): Promise<GeneratedChoice[]>;
