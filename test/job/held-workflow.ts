import type { EpisodeOptions, EpisodeResult, RolloutEngine, RolloutWorkflow } from "../../src/rollout/contract.js";
import { Rejection } from "../../src/rollout/rejection.js";

/** A workflow that runs no agent. The test decides when and how each episode ends, unless it is aborted. */
export class HeldWorkflow implements RolloutWorkflow<number> {
  /** Data of the tasks that were started, in order. */
  readonly started: number[] = [];
  readonly options = new Map<number, EpisodeOptions>();
  readonly #held = new Map<number, (result: EpisodeResult) => void>();

  arunEpisode(_: RolloutEngine, data: number, options: EpisodeOptions = {}): Promise<EpisodeResult> {
    this.started.push(data);
    this.options.set(data, options);
    return new Promise((resolve) => {
      this.#held.set(data, resolve);
      options.signal?.addEventListener("abort", () => resolve(rejectedWith("episode_aborted")));
    });
  }

  get running(): number[] {
    return [...this.#held.keys()];
  }

  /** Ends an episode, and waits until the controller has reacted. */
  async end(data: number, result: EpisodeResult = acceptedAs(`s${data}`)): Promise<void> {
    this.#held.get(data)?.(result);
    this.#held.delete(data);
    await settled();
  }
}

/** Resolves when a controller with a database in memory has acted on what happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function acceptedAs(...sessionIds: string[]): EpisodeResult {
  const url = "http://127.0.0.1:9";
  return {
    accepted: sessionIds.map((sessionId) => ({ sessionId, url, interactionCount: 1, rewards: new Map() })),
    rejected: [],
  };
}

export function rejectedWith(...codes: Rejection["code"][]): EpisodeResult {
  return { accepted: [], rejected: codes.map((code) => ({ reason: new Rejection(code, `because of ${code}`) })) };
}
