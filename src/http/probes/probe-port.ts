import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import type { FastifyBaseLogger } from "fastify";
import { startThread } from "../../support/start-thread.js";
import { Heartbeat } from "./heartbeat.js";
import type { Readiness } from "./probe-answers.js";
import type { ProbeThreadData, ProbeThreadStart } from "./probe-thread.js";

export interface ProbePortOptions {
  readonly host: string;
  /** Null opens no port; 0 chooses a free one. */
  readonly port: number | null;
  /** Time for which the main thread may not run until `/livez` fails. */
  readonly stallSeconds: number;
  readonly logger?: FastifyBaseLogger | undefined;
}

const REPORT_MS = 1000;

/**
 * A listener for probes on a thread of its own. It answers at once even if the main thread is busy or has thousands of
 * connections to accept. The main thread reports its readiness every second; a heartbeat shows whether it runs.
 */
export class ProbePort {
  readonly url: string;
  readonly #thread: Worker;
  readonly #heartbeat: Heartbeat;
  readonly #logger: FastifyBaseLogger | undefined;
  #readReadiness: (() => Readiness | Promise<Readiness>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asked = 0;
  #reported = 0;

  private constructor(url: string, thread: Worker, heartbeat: Heartbeat, logger: FastifyBaseLogger | undefined) {
    this.url = url;
    this.#thread = thread;
    this.#heartbeat = heartbeat;
    this.#logger = logger;
  }

  /**
   * Listens. Until {@link start}, the process is alive but not ready.
   *
   * @returns undefined if `port` is null
   * @throws Error if the port cannot be opened
   */
  static async open({ host, port, stallSeconds, logger }: ProbePortOptions): Promise<ProbePort | undefined> {
    if (port === null) return undefined;
    const heartbeat = new Heartbeat();
    const workerData: ProbeThreadData = { host, port, stallSeconds, beats: heartbeat.beats };
    const thread = startThread("./probe-thread", import.meta.url, { name: "probes", workerData });
    const [started] = (await once(thread, "message")) as [ProbeThreadStart];
    // From here on, the thread alone does not keep the process alive.
    thread.unref();
    if ("url" in started) {
      const probes = new ProbePort(started.url, thread, heartbeat, logger);
      thread.on("error", (err) => logger?.error({ err }, "the thread that answers probes has failed"));
      logger?.info({ url: started.url }, "probes are answered");
      return probes;
    }
    heartbeat.stop();
    await thread.terminate();
    throw new Error(`server.probe_port cannot be opened: ${started.error}`);
  }

  /** Reports the readiness now and every second. From here on, a stall of the main thread fails `/livez`. */
  async start(readReadiness: () => Readiness | Promise<Readiness>): Promise<void> {
    this.#readReadiness = readReadiness;
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), REPORT_MS).unref();
  }

  /** Reports the readiness now. If several reads overlap, a result older than the last report is dropped. */
  async refresh(): Promise<void> {
    const turn = ++this.#asked;
    try {
      const readiness = await this.#readReadiness?.();
      if (readiness === undefined || turn < this.#reported) return;
      this.#reported = turn;
      this.#thread.postMessage(readiness);
    } catch (err) {
      this.#logger?.error({ err }, "the readiness for probes cannot be read");
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#heartbeat.stop();
    await this.#thread.terminate();
  }
}
