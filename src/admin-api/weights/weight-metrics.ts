import { Counter, type Registry } from "prom-client";
import type { UpdateOutcome } from "./weight-updates.js";

/** Metrics of weight updates. */
export class WeightMetrics {
  readonly #updates: Counter<"outcome">;
  readonly #pausedSeconds: Counter;

  /** @param prefix of the names, which differ between servers and gateways */
  constructor(registry: Registry, prefix: "rolltape" | "rolltape_gateway") {
    const registers = [registry];
    this.#updates = new Counter({
      name: `${prefix}_weight_updates_total`,
      help: "Weight updates by outcome. Each failed attempt counts.",
      labelNames: ["outcome"],
      registers,
    });
    this.#pausedSeconds = new Counter({
      name: `${prefix}_weight_update_paused_seconds_total`,
      help: "Time for which weight updates have held model calls.",
      registers,
    });
    for (const outcome of ["succeeded", "failed", "given_up"] as const) this.#updates.inc({ outcome }, 0);
  }

  /** @param pausedSeconds undefined while calls are still held */
  count(outcome: UpdateOutcome, pausedSeconds: number | undefined): void {
    this.#updates.inc({ outcome });
    if (pausedSeconds !== undefined) this.#pausedSeconds.inc(pausedSeconds);
  }
}
