import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { TelemetryError } from "./errors.js";
import type { TelemetryLog } from "./reporting-exporter.js";
import type { FromSpanThread, ToSpanThread } from "./span-thread.js";
import type { Trace } from "./trace.js";

/** Traces that may wait to be written. Further ones are dropped. */
const MAX_WAITING = 4096;
const INTERVAL_MS = 250;
/** Time that a stop waits for the collector. */
const CLOSE_MS = 2_000;

/**
 * Hands traces that have ended to the thread that makes spans of them and sends these. On the thread of the requests, a trace costs no more
 * than its notes as text: spans that wait for their collector would also be work for its garbage collection.
 */
export class TraceQueue {
  readonly #thread: Worker;
  readonly #timer: NodeJS.Timeout;
  #waiting: string[] = [];
  /** Traces that the thread has not written yet. */
  #posted = 0;
  #closing: Promise<void> | undefined;
  readonly #exited: Promise<void>;

  private constructor(thread: Worker, log: TelemetryLog | undefined) {
    this.#thread = thread;
    this.#timer = setInterval(() => this.#post(), INTERVAL_MS).unref();
    this.#exited = new Promise((resolve) => thread.once("exit", () => resolve()));
    thread.on("message", (message: FromSpanThread) => {
      if (message.kind === "written") this.#posted -= message.traces;
      if (message.kind === "log") log?.[message.level](message.fields, message.text);
    });
    thread.on("error", (error) => {
      log?.warn({ key: "telemetry.otlp_url", why: String(error) }, "traces are no longer sent");
    });
    // Requests end without it, and so may the process.
    thread.unref();
  }

  /**
   * Resolves when the thread is ready.
   *
   * @throws TelemetryError if OpenTelemetry's SDK cannot be loaded
   */
  static async open(thread: Worker, log: TelemetryLog | undefined): Promise<TraceQueue> {
    await once(thread, "message").catch((cause: unknown) => {
      throw new TelemetryError("telemetry_unavailable", `telemetry.otlp_url requires OpenTelemetry's SDK: ${INSTALL}`, {
        cause,
      });
    });
    return new TraceQueue(thread, log);
  }

  add(ended: Trace): void {
    if (this.#waiting.length + this.#posted < MAX_WAITING) this.#waiting.push(JSON.stringify(ended));
  }

  /** Sends all that are waiting, within {@link CLOSE_MS}. Traces that end after this are lost. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #post(): void {
    if (this.#waiting.length === 0) return;
    this.#posted += this.#waiting.length;
    this.#tell({ kind: "write", traces: this.#waiting });
    this.#waiting = [];
  }

  #tell(message: ToSpanThread): void {
    this.#thread.postMessage(message);
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
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
