import type { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import type { Semaphore } from "../../support/async/semaphore.js";
import { readSessionAnswers, type SessionAnswer } from "../../transcript/session-answer.js";

export interface TranscriptReaderOptions {
  /** Limits how many calls all readers of a job make at the same time. */
  readonly slots: Semaphore;
  /** Share of a turn's reward that its parent turn receives. */
  readonly discount: number;
  /** Ends the calls, and the reads that wait. */
  readonly signal: AbortSignal;
}

/** Maximum number of sessions that one call reads. */
const MAX_SESSIONS = 16;
/** How long a session waits for others. A call for each would take three times the processor time. */
const GATHER_MS = 100;
const CALL_SECONDS = 30;

/** Reads the transcripts of sessions on one proxy. Sessions that end shortly after each other share a call. */
export class TranscriptReader {
  readonly #admin: AdminClient;
  readonly #options: TranscriptReaderOptions;
  #waiting = new Map<string, Deferred<SessionAnswer>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(admin: AdminClient, options: TranscriptReaderOptions) {
    this.#admin = admin;
    this.#options = options;
  }

  /** Returns what the proxy recorded of a session. Rejects if the proxy does not return it. */
  read(sessionId: string): Promise<SessionAnswer> {
    const waiter = createDeferred<SessionAnswer>();
    this.#waiting.set(sessionId, waiter);
    if (this.#waiting.size >= MAX_SESSIONS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    return waiter.promise;
  }

  /** Reads the sessions that wait now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    void this.#readAll(this.#waiting);
    this.#waiting = new Map();
  }

  async #readAll(waiting: Map<string, Deferred<SessionAnswer>>): Promise<void> {
    const { slots, signal } = this.#options;
    try {
      using _slot = await slots.acquire(signal);
      // A large answer leaves out some of the sessions.
      while (waiting.size > 0) await this.#readSome(waiting);
    } catch (error) {
      for (const waiter of waiting.values()) waiter.reject(error);
    }
  }

  /** Settles the sessions that an answer has, and removes them from `waiting`. */
  async #readSome(waiting: Map<string, Deferred<SessionAnswer>>): Promise<void> {
    const { discount, signal } = this.#options;
    const options = { signal, timeoutSeconds: CALL_SECONDS };
    const lines = await this.#admin.transcriptLines([...waiting.keys()], { discount }, options);
    const before = waiting.size;
    for (const answer of readSessionAnswers(lines)) {
      const waiter = waiting.get(answer.sessionId);
      if ("code" in answer) waiter?.reject(new ProxyError(answer.code, answer.message));
      else waiter?.resolve(answer);
      waiting.delete(answer.sessionId);
    }
    if (waiting.size === before) throw new Error("its answer has none of the sessions");
  }
}
