import type { AdminClient } from "../../client/admin-client.js";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import type { Semaphore } from "../../support/async/semaphore.js";
import { readSessionAnswers, type SessionAnswer } from "../../transcript/session-answer.js";

export interface TranscriptReaderOptions {
  /** Calls of all readers of a job. */
  readonly slots: Semaphore;
  /** Of the rewards. */
  readonly discount: number;
  /** Ends the calls. */
  readonly signal: AbortSignal;
}

/** A call is sent when so many sessions wait, */
const MOST_SESSIONS = 16;
/** or after this time. A call of one session would take several times as much processor time per session. */
const GATHER_MS = 100;
const CALL_SECONDS = 30;

/** Reads the transcripts of sessions that end one after the other, several with one call. All are on one proxy. */
export class TranscriptReader {
  readonly #admin: AdminClient;
  readonly #options: TranscriptReaderOptions;
  #waiting = new Map<string, Deferred<SessionAnswer>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(admin: AdminClient, options: TranscriptReaderOptions) {
    this.#admin = admin;
    this.#options = options;
  }

  /** Returns what the proxy recorded of a session. Rejects with a sentence if it does not return it. */
  read(sessionId: string): Promise<SessionAnswer> {
    const answer = createDeferred<SessionAnswer>();
    this.#waiting.set(sessionId, answer);
    if (this.#waiting.size >= MOST_SESSIONS) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
    return answer.promise;
  }

  /** Sends the call for the sessions that wait. */
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
      // An answer may leave out sessions.
      while (waiting.size > 0) await this.#readSome(waiting);
    } catch (error) {
      for (const answer of waiting.values()) answer.reject(error);
    }
  }

  /** Settles the sessions that an answer has, and removes them from `waiting`. */
  async #readSome(waiting: Map<string, Deferred<SessionAnswer>>): Promise<void> {
    const { discount, signal } = this.#options;
    const options = { signal, timeoutSeconds: CALL_SECONDS };
    const lines = await this.#admin.transcriptLines([...waiting.keys()], { discount }, options);
    const before = waiting.size;
    for (const answer of readSessionAnswers(lines)) {
      const id = "code" in answer ? answer.sessionId : answer.head.session_id;
      if ("code" in answer) waiting.get(id)?.reject(new Error(`${answer.code}: ${answer.message}`));
      else waiting.get(id)?.resolve(answer);
      waiting.delete(id);
    }
    if (waiting.size === before) throw new Error("its answer has none of the sessions");
  }
}
