import { Counter, Histogram, type Registry } from "prom-client";
import type { ExportSummary } from "../session/batch/batch-metadata.js";

const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

/**
 * Metrics of the exports that a process packs. Servers and gateways use the same names, because a batch is packed in one process only:
 * a sum over all processes counts it once.
 */
export class ExportMetrics {
  readonly bytes: Counter;
  readonly #seconds: Histogram;
  readonly #unrewardedRoots: Counter;
  readonly #uncountedRewards: Counter;
  readonly #leftOut: Counter<"reason">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: "rolltape_export_seconds",
      help: "Time to plan and pack an export.",
      buckets: SECONDS,
      registers,
    });
    this.bytes = new Counter({
      name: "rolltape_export_bytes_total",
      help: "Size of packed exports in bytes.",
      registers,
    });
    this.#unrewardedRoots = new Counter({
      name: "rolltape_export_unrewarded_roots_total",
      help: "Exported conversation trees without any reward.",
      registers,
    });
    this.#uncountedRewards = new Counter({
      name: "rolltape_export_uncounted_reward_rows_total",
      help: "Exported rows whose reward does not include the own rewards of their earlier turns.",
      registers,
    });
    this.#leftOut = new Counter({
      name: "rolltape_export_left_out_interactions_total",
      help: "Interactions that an export left out, by reason.",
      labelNames: ["reason"],
      registers,
    });
  }

  /** Counts what an export leaves out, and rows and trees with missing rewards. A repeated export counts again. */
  count({ unrewardedRoots, uncountedRewardRows, leftOut }: ExportSummary): void {
    this.#unrewardedRoots.inc(unrewardedRoots);
    this.#uncountedRewards.inc(uncountedRewardRows);
    for (const [reason, count] of Object.entries(leftOut)) this.#leftOut.inc({ reason }, count);
  }

  /** Measures the time of one export, even if it fails. */
  async time<T>(pack: () => Promise<T>): Promise<T> {
    const stop = this.#seconds.startTimer();
    try {
      return await pack();
    } finally {
      stop();
    }
  }
}
