import { Counter, Histogram, type Registry } from "prom-client";

const BUCKETS = [0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300];

/**
 * - `scored`: the sequence has its scores.
 * - `refused`: a server refuses to score the sequence, or its reply is unusable.
 * - `unanswered`: no server answered in time.
 */
export type ScoringOutcome = "scored" | "refused" | "unanswered";

/** Counts the sequences that teachers score. */
export class TeacherMetrics {
  readonly #sequences: Counter<"teacher" | "outcome">;
  readonly #tokens: Counter<"teacher">;
  readonly #seconds: Histogram<"teacher">;

  constructor(register: Registry) {
    const registers = [register];
    this.#sequences = new Counter({
      name: "rolltape_teacher_sequences_total",
      help: "Sequences that a teacher was asked to score, by outcome.",
      labelNames: ["teacher", "outcome"],
      registers,
    });
    this.#tokens = new Counter({
      name: "rolltape_teacher_tokens_total",
      help: "Tokens that a teacher has scored.",
      labelNames: ["teacher"],
      registers,
    });
    this.#seconds = new Histogram({
      name: "rolltape_teacher_seconds",
      help: "Time in seconds until a teacher has scored a sequence, including the wait for a place and repeated requests.",
      labelNames: ["teacher"],
      buckets: BUCKETS,
      registers,
    });
  }

  count(teacher: string, outcome: ScoringOutcome, tokens = 0): void {
    this.#sequences.inc({ teacher, outcome });
    if (tokens > 0) this.#tokens.inc({ teacher }, tokens);
  }

  /** @returns a function that ends the measurement */
  startTimer(teacher: string): () => void {
    const stop = this.#seconds.startTimer({ teacher });
    return () => void stop();
  }
}
