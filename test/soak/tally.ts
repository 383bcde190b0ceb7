import type { Attempt } from "./agents/attempt.js";
import type { BatchCounts } from "./check/check-batch.js";

/** Counts calls by outcome, and what the exports contained. */
export class Tally {
  readonly outcomes = new Map<string, number>();
  calls = 0;
  sessions = 0;
  exported: BatchCounts = { rows: 0, tokens: 0, outputTokens: 0, marked: 0, unknowable: 0 };

  addAttempt({ outcome, api, streamed }: Attempt): void {
    this.calls++;
    const name = { answered: `answered, ${api}${streamed ? ", streamed" : ""}`, left: "", failed: "", lost: "lost" }[
      outcome.kind
    ];
    if (outcome.kind === "left") this.#count(outcome.begun ? "left during the answer" : "left before the answer");
    else if (outcome.kind === "failed") this.#count(`refused with ${outcome.code}`);
    else this.#count(name);
  }

  addBatch(counts: BatchCounts): void {
    const { rows, tokens, outputTokens, marked, unknowable } = this.exported;
    this.exported = {
      rows: rows + counts.rows,
      tokens: tokens + counts.tokens,
      outputTokens: outputTokens + counts.outputTokens,
      marked: marked + counts.marked,
      unknowable: unknowable + counts.unknowable,
    };
  }

  #count(name: string): void {
    this.outcomes.set(name, (this.outcomes.get(name) ?? 0) + 1);
  }
}
