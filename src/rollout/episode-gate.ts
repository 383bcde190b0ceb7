import { Semaphore } from "../support/async/semaphore.js";
import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "./contract.js";
import { Rejection } from "./rejection.js";

/**
 * Runs a limited number of the episodes of a workflow at once, and counts those that have ended. The time of an episode that waits does
 * not count.
 */
export class EpisodeGate<Data = unknown> implements RolloutWorkflow<Data> {
  readonly #workflow: RolloutWorkflow<Data>;
  readonly #permits: Semaphore | undefined;
  #ended = 0;

  /** @param limit maximum number of episodes that run at once; null: no limit */
  constructor(workflow: RolloutWorkflow<Data>, limit: number | null) {
    this.#workflow = workflow;
    this.#permits = limit === null ? undefined : new Semaphore(limit);
  }

  /** Number of episodes that have ended, accepted or rejected. */
  get ended(): number {
    return this.#ended;
  }

  get canResume(): boolean {
    return this.#workflow.canResume ?? false;
  }

  async arunEpisode(engine: RolloutEngine, data: Data, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    const { signal, groupId } = options;
    let permit: Disposable | undefined;
    try {
      permit = await this.#permits?.acquire(signal);
    } catch (error) {
      const aborted = () =>
        new Rejection("episode_aborted", "The episode was aborted before it began.", { cause: error });
      const reason = error instanceof Rejection ? error : aborted();
      this.#ended++;
      return { accepted: [], rejected: [{ groupId, reason }] };
    }
    using _permit = permit;
    const result = await this.#workflow.arunEpisode(engine, data, options);
    this.#ended += result.accepted.length + result.rejected.length;
    return result;
  }
}
