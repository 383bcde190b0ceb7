import type { ReadableSpan, SpanExporter } from "./sdk.js";

export interface TelemetryLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

type ExporterLog = Pick<TelemetryLog, "warn" | "info">;
type ResultCallback = Parameters<SpanExporter["export"]>[1];

/** Logs when the collector stops taking spans, and when it takes them again. */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: ExporterLog;
  /** Spans that were lost since the collector failed first. */
  #lost = 0;

  constructor(exporter: SpanExporter, log: ExporterLog) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: ResultCallback): void {
    this.#exporter.export(spans, (result) => {
      if (result.error) this.#failed(spans.length, result.error);
      else this.#sent();
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #failed(spans: number, { message: why }: Error): void {
    if (this.#lost === 0)
      this.#log.warn({ key: "telemetry.otlp_url", why }, "the collector took no spans; they are lost");
    this.#lost += spans;
  }

  #sent(): void {
    if (this.#lost === 0) return;
    this.#log.info({ key: "telemetry.otlp_url", lost: this.#lost }, "the collector takes spans again");
    this.#lost = 0;
  }
}
