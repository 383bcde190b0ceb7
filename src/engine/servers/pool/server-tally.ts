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

  /** Runs a request and counts how it ends: an abort by the caller is no failure of the server. */
  async count<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    try {
      const result = await request();
      this.#add("completed");
      return result;
    } catch (error) {
      if (signal.aborted) this.#add("aborted");
      else this.failed(error);
      throw error;
    }
  }

  /** A request failed, or what had to be asked before it. */
  failed(error: unknown): void {
    this.#add("failed");
    this.#lastFailure = { message: error instanceof Error ? error.message : String(error), at: Date.now() };
  }

  /** A request that did not begin here went to another server. */
  failedOver(): void {
    this.#add("failovers");
  }

  #add(outcome: keyof EngineServerCounts): void {
    this.#counts = { ...this.#counts, [outcome]: this.#counts[outcome] + 1 };
  }
}
