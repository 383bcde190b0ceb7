import type { Worker } from "node:worker_threads";
import { TelemetryError } from "./errors.js";
import type { TelemetryLog } from "./reporting-exporter.js";
import type { FromSpanThread, ToSpanThread } from "./span-thread.js";
import type { Trace } from "./trace.js";

/** Traces that wait to be posted or written. Further ones are dropped. */
const MAX_TRACES = 4096;
const INTERVAL_MS = 250;
/** Time that a stop waits for the collector. */
const CLOSE_MS = 2_000;

/**
 * Collects traces that have ended and passes them to the span thread four times a second, as JSON. Making and sending spans on the main
 * thread would delay calls, and spans that wait for the collector would be work for its garbage collection.
 */
export class TraceQueue {
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;
  readonly #exited: Promise<void>;
  #isOpen = true;
  #waiting: string[] = [];
  /** Number of traces that the thread has not written yet. */
  #posted = 0;
  #closing: Promise<void> | undefined;

  private constructor(thread: Worker, log: TelemetryLog | undefined) {
    this.#thread = thread;
    this.#timer = setInterval(() => this.#post(), INTERVAL_MS).unref();
    thread.on("message", (message: FromSpanThread) => {
      if (message.kind === "written") this.#posted -= message.traces;
      if (message.kind === "log") log?.[message.level](message.fields, message.text);
    });
    let err: Error | undefined;
    thread.on("error", (error) => (err = error));
    this.#exited = new Promise((resolve) => {
      thread.once("exit", () => {
        if (this.#isOpen) log?.error({ err }, "the thread that sends traces has ended; no more traces are sent");
        this.#stop();
        this.#waiting = [];
        resolve();
      });
    });
    // The thread alone does not keep the process alive.
    thread.unref();
  }

  /**
   * Waits until the thread is ready.
   *
   * @throws TelemetryError if OpenTelemetry's SDK is not installed, or refuses its settings
   */
  static async open(thread: Worker, log: TelemetryLog | undefined): Promise<TraceQueue> {
    await new Promise<void>((resolve, reject) => {
      thread.once("message", () => resolve());
      thread.once("error", (cause) => reject(toStartError(cause)));
      thread.once("exit", (code) => reject(toStartError(new Error(`the span thread ended with code ${code}`))));
    });
    return new TraceQueue(thread, log);
  }

  add(ended: Trace): void {
    if (this.#isOpen && this.#waiting.length + this.#posted < MAX_TRACES) this.#waiting.push(JSON.stringify(ended));
  }

  /** Sends the waiting traces, for at most {@link CLOSE_MS}. Later traces are dropped. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #post(): void {
    if (this.#waiting.length === 0) return;
    this.#posted += this.#waiting.length;
    // Not `performance.timeOrigin`, which does not follow the clock when it is set.
    this.#tell({ kind: "write", traces: this.#waiting, timeOrigin: Date.now() - performance.now() });
    this.#waiting = [];
  }

  #tell(message: ToSpanThread): void {
    this.#thread.postMessage(message);
  }

  #stop(): void {
    this.#isOpen = false;
    clearInterval(this.#timer);
  }

  async #close(): Promise<void> {
    this.#stop();
    this.#post();
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<void>((resolve) => (timer = setTimeout(resolve, CLOSE_MS)));
    this.#tell({ kind: "close" });
    await Promise.race([this.#exited, expired]);
    clearTimeout(timer);
    await this.#thread.terminate();
  }
}

const INSTALL =
  "npm install @opentelemetry/sdk-trace@2 @opentelemetry/resources@2 @opentelemetry/exporter-trace-otlp-proto@0.223";

function toStartError(cause: Error & { readonly code?: string }): TelemetryError {
  const message =
    cause.code === "ERR_MODULE_NOT_FOUND"
      ? `telemetry.otlp_url requires OpenTelemetry's SDK: ${INSTALL}`
      : `The traces of telemetry.otlp_url cannot be sent: ${cause.message}`;
  return new TelemetryError("telemetry_unavailable", message, { cause });
}
