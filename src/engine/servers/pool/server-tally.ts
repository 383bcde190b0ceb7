import type { EngineServerCounts } from "../../engine.js";

/** Counts the requests to one server by outcome. */
export class ServerTally {
  readonly #counts: { -readonly [Outcome in keyof EngineServerCounts]: number } = {
    completed: 0,
    failed: 0,
    aborted: 0,
    failovers: 0,
  };
  #lastFailure: { readonly message: string; readonly at: number } | undefined;

  get counts(): EngineServerCounts {
    return { ...this.#counts };
  }

  get lastFailure(): { readonly message: string; readonly at: number } | undefined {
    return this.#lastFailure;
  }

  addCompleted(): void {
    this.#add("completed");
  }

  /** Counts a request that the caller aborted, which is no failure of the server. */
  addAborted(): void {
    this.#add("aborted");
  }

  /** Counts a failed request, or a failed question on which a request depends. */
  addFailed(error: unknown): void {
    this.#add("failed");
    this.#lastFailure = { message: error instanceof Error ? error.message : String(error), at: Date.now() };
  }

  /** Counts a request that did not begin here and went to another server. */
  addFailover(): void {
    this.#add("failovers");
  }

  #add(outcome: keyof EngineServerCounts): void {
    this.#counts[outcome]++;
  }
}
