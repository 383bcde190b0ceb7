import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { SessionRegistry } from "../session/registry.js";

const ENGINE_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
const EXPORT_BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30];

const DELAY_RESOLUTION_MS = 10;

/** Node's monitor measures how long its timer took to fire; what is over the timer's own interval is delay. */
function delaySeconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - DELAY_RESOLUTION_MS / 1e3);
}

/** Metrics of the process are collected once, however many servers it runs: their monitors cannot be stopped. */
let processRegistry: Registry | undefined;

function startProcessMetrics(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/** The server's Prometheus metrics. Each instance has its own registry. */
export class Metrics {
  readonly registry = new Registry();
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });

  readonly calls = this.#counter("rolltape_calls_total", "Model calls by API and outcome.", ["api", "outcome"]);
  readonly tokens = this.#counter("rolltape_tokens_total", "Prompt tokens in, cached and sampled tokens out.", [
    "direction",
  ]);
  readonly resumes = this.#counter("rolltape_engine_resumes_total", "Generations resumed after a weight update.", []);
  readonly parents = this.#counter("rolltape_interactions_total", "Recorded interactions by their link to a parent.", [
    "link",
  ]);
  readonly engineSeconds = this.#histogram(
    "rolltape_engine_seconds",
    "Time in the engine per model call.",
    ENGINE_BUCKETS,
  );
  readonly exportSeconds = this.#histogram("rolltape_export_seconds", "Plan and pack per export.", EXPORT_BUCKETS);
  readonly exportBytes = this.#counter("rolltape_export_bytes_total", "Bytes of packed exports.", []);

  constructor(sessions: SessionRegistry) {
    this.#delay.enable();
    this.#gauge("rolltape_sessions", "Sessions by state.", ["state"], (gauge) => {
      for (const [state, count] of Object.entries(sessions.countByState())) gauge.set({ state }, count);
    });
    this.#gauge("rolltape_capacity_slots", "Free slots.", [], (gauge) => gauge.set(sessions.capacity));
    this.#gauge("rolltape_session_bytes", "Native memory held by sessions.", [], (gauge) => {
      let bytes = 0;
      for (const session of sessions.all()) bytes += session.byteLength;
      gauge.set(bytes);
    });
    this.#gauge(
      "rolltape_event_loop_delay_seconds",
      "Event loop delay since the last scrape.",
      ["quantile"],
      (gauge) => {
        for (const quantile of [50, 99, 100]) {
          gauge.set({ quantile: String(quantile / 100) }, delaySeconds(this.#delay.percentile(quantile)));
        }
        this.#delay.reset();
      },
    );
  }

  /** Times one export, refused ones included. */
  async timeExport<T>(pack: () => Promise<T>): Promise<T> {
    const stop = this.exportSeconds.startTimer();
    try {
      return await pack();
    } finally {
      stop();
    }
  }

  /** The text that Prometheus scrapes: these metrics and those of the process. */
  async scrape(): Promise<string> {
    processRegistry ??= startProcessMetrics();
    return `${await this.registry.metrics()}\n${await processRegistry.metrics()}`;
  }

  close(): void {
    this.#delay.disable();
    this.registry.clear();
  }

  #counter<L extends string>(name: string, help: string, labelNames: L[]): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }

  #gauge<L extends string>(name: string, help: string, labelNames: L[], collect: (gauge: Gauge<L>) => void): void {
    const gauge: Gauge<L> = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: () => collect(gauge),
    });
  }
}
