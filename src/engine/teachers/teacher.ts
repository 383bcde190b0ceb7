import type { TokenScores } from "../../native/contract.js";
import { Semaphore } from "../../support/async/semaphore.js";
import { sleep } from "../../support/async/sleep.js";
import { EngineError } from "../engine.js";
import { KeyRefusedError, NotServedError, NotStartedError, UnexplainedError } from "../servers/wire/errors.js";
import type { ScoredSequence, ScoreServer, ScoreServerOptions } from "./score-server.js";
import { SglangScores } from "./sglang-scores.js";
import { VllmScores } from "./vllm-scores.js";

export interface TeacherOptions extends ScoreServerOptions {
  readonly name: string;
  readonly type: "sglang" | "vllm";
  /** Base URLs of servers with the same model. */
  readonly urls: readonly string[];
  readonly topLogprobs: number;
  /** Seconds without an answer of any server after which sequences remain without scores. */
  readonly timeoutSeconds: number;
}

/** A teacher did not answer within its time limit. Later requests may succeed. */
export class TeacherDownError extends EngineError {}

/** Sequences that are scored together, such as those of an export. They share one time limit. */
export interface ScoringRound {
  readonly startedAt: number;
  /** False: each server is asked once, and a teacher that is down is not waited for. */
  readonly waits: boolean;
}

/** Pause before a server that failed gets another request: it doubles with each failure. */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

/** A model that scores recorded sequences, on one or more servers. */
export class Teacher {
  readonly name: string;
  readonly topLogprobs: number;
  /** Maximum number of requests at once, on all servers together. */
  readonly capacity: number;
  readonly #timeoutMilliseconds: number;
  readonly #servers: readonly ServerState[];
  readonly #places: Semaphore;
  /** When a server last answered. */
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(options: TeacherOptions) {
    this.name = options.name;
    this.topLogprobs = options.topLogprobs;
    this.#timeoutMilliseconds = options.timeoutSeconds * 1000;
    this.#servers = options.urls.map((url) => new ServerState(createServer(url, options)));
    this.capacity = options.urls.length * options.maxInflight;
    this.#places = new Semaphore(this.capacity);
  }

  /** Begins a round. If `waits`, its requests wait together for a teacher that is down. */
  begin(waits: boolean): ScoringRound {
    return { startedAt: performance.now(), waits };
  }

  /**
   * Scores a sequence. A request that fails is repeated, on another server if there is one.
   *
   * @throws TeacherDownError if the teacher has not answered for its time limit, counted from the start of the round, or does not answer
   * and the round does not wait
   * @throws EngineError if a server refuses the sequence
   */
  async score(
    sequence: Omit<ScoredSequence, "topLogprobs">,
    round: ScoringRound,
    signal?: AbortSignal,
  ): Promise<TokenScores> {
    using _place = await this.#places.acquire(signal);
    let failure: unknown;
    for (let attempt = 0; ; attempt++) {
      const server = this.#choose();
      const left = this.#deadline(round) - performance.now();
      if (round.waits ? left <= 0 : attempt === this.#servers.length) throw this.#downError(failure);
      const pause = server.readyAt - performance.now();
      if (pause > 0 && round.waits) await sleep(Math.min(pause, left), signal);
      try {
        const scores = await server.score({ ...sequence, topLogprobs: this.topLogprobs }, this.#limit(signal));
        this.#answeredAt = performance.now();
        return scores;
      } catch (error) {
        signal?.throwIfAborted();
        if (isFinal(error)) {
          this.#answeredAt = performance.now();
          throw this.#nameServer(error, server.url);
        }
        failure = error;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }

  #deadline({ startedAt }: ScoringRound): number {
    return Math.max(startedAt, this.#answeredAt) + this.#timeoutMilliseconds;
  }

  #limit(signal: AbortSignal | undefined): AbortSignal {
    const limit = AbortSignal.timeout(this.#timeoutMilliseconds);
    return signal ? AbortSignal.any([signal, limit]) : limit;
  }

  /** Returns the server that may get a request soonest; of several, the one with the fewest requests. */
  #choose(): ServerState {
    const now = performance.now();
    const [best] = this.#servers.toSorted(
      (a, b) => Math.max(a.readyAt - now, 0) - Math.max(b.readyAt - now, 0) || a.inFlight - b.inFlight,
    );
    if (!best) throw new RangeError(`The teacher ${this.name} has no servers.`);
    return best;
  }

  #downError(cause: unknown): TeacherDownError {
    const reason = cause instanceof Error ? ` ${cause.message}` : "";
    return new TeacherDownError("engine_unavailable", `The teacher ${this.name} does not answer.${reason}`, { cause });
  }

  /** The messages of engines name no server, and a teacher may have several. */
  #nameServer(error: unknown, url: string): unknown {
    if (!(error instanceof EngineError)) return error;
    const advice = error instanceof NotServedError ? ". Check `engine` and `urls` of the teacher." : "";
    return new EngineError(error.code, `The teacher ${this.name} at ${url}: ${error.message}${advice}`, {
      cause: error,
    });
  }
}

function createServer(url: string, options: TeacherOptions): ScoreServer {
  return options.type === "sglang" ? new SglangScores(url, options) : new VllmScores(url, options);
}

/** Returns true if repeating the request is useless: the server answered that it refuses the request, or its reply is unusable. */
function isFinal(error: unknown): boolean {
  if (error instanceof KeyRefusedError || error instanceof NotServedError || error instanceof UnexplainedError)
    return true;
  if (!(error instanceof EngineError)) return !(error instanceof DOMException && error.name === "TimeoutError");
  if (error instanceof NotStartedError) return false;
  const isUnreadable = error.code === "engine_error" && String(Object(error.cause).code).startsWith("ERR_REPLY_");
  return error.code === "engine_rejected_request" || isUnreadable;
}

/** A server with its requests in flight and the pause after its last failure. */
class ServerState {
  readonly #server: ScoreServer;
  inFlight = 0;
  /** When it may get its next request. */
  readyAt = 0;
  #failures = 0;

  constructor(server: ScoreServer) {
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  async score(sequence: ScoredSequence, signal: AbortSignal): Promise<TokenScores> {
    this.inFlight++;
    try {
      const scores = await this.#server.score(sequence, signal);
      this.#failures = 0;
      return scores;
    } catch (error) {
      if (!isFinal(error)) this.#pause(error);
      throw error;
    } finally {
      this.inFlight--;
    }
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  #pause(error: unknown): void {
    // Requests that fail together count once.
    if (performance.now() < this.readyAt) return;
    const asked = error instanceof NotStartedError ? (error.retryAfterMilliseconds ?? 0) : 0;
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures++;
    this.readyAt = performance.now() + Math.max(pause, asked);
  }
}
