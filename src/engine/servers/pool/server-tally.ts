import type { EngineServerCounts } from "../../engine.js";

/** Counts what became of the requests to one server. */
export class ServerTally {
  #counts: EngineServerCounts = { completed: 0, failed: 0, aborted: 0, failovers: 0 };
  #lastFailure: { readonly message: string; readonly at: number } | undefined;

  get counts(): EngineServerCounts {
    return this.#counts;
  }

  get lastFailure(): { readonly message: string; readonly at: number } | undefined {
    return this.#lastFailure;
  }

  addCompleted(): void {
    this.#add("completed");
  }

  /** The caller gave the request up: no failure of the server. */
  addAborted(): void {
    this.#add("aborted");
  }

  /** A request failed, or a question that had to be answered before it. */
  addFailed(error: unknown): void {
    this.#add("failed");
    this.#lastFailure = { message: error instanceof Error ? error.message : String(error), at: Date.now() };
  }

  /** A request that did not begin here went to another server. */
  addFailover(): void {
    this.#add("failovers");
  }

  #add(outcome: keyof EngineServerCounts): void {
    this.#counts = { ...this.#counts, [outcome]: this.#counts[outcome] + 1 };
  }
}
