import type { AdminClient } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import { createDeferred, type Deferred } from "../../support/async/deferred.js";
import { readSessionAnswer, type SessionAnswer, splitAnswerLines } from "../../transcript/session-answer.js";

export interface TranscriptReaderOptions {
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
/** Code of the error with which a proxy of an earlier version answers the call. */
const NO_SUCH_CALL = "not_found";

type Waiting = Map<string, Deferred<SessionAnswer>>;

/**
 * Reads the transcripts of sessions of one worker. Sessions that end shortly after each other share a call. One call runs at a time, so a
 * worker that does not answer delays only its own sessions.
 */
export class TranscriptReader {
  readonly #admin: AdminClient;
  readonly #options: TranscriptReaderOptions;
  #waiting: Waiting = new Map();
  #timer: NodeJS.Timeout | undefined;
  /** Resolves when all calls that were begun have ended. */
  #calls: Promise<void> = Promise.resolve();

  constructor(admin: AdminClient, options: TranscriptReaderOptions) {
    this.#admin = admin;
    this.#options = options;
  }

  /** Returns what the proxy recorded of a session. Rejects if the proxy does not return it. */
  read(sessionId: string): Promise<SessionAnswer> {
    const known = this.#waiting.get(sessionId);
    if (known) return known.promise;
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
    const waiting = this.#waiting;
    if (waiting.size === 0) return;
    this.#waiting = new Map();
    this.#calls = this.#calls.then(() => this.#readAll(waiting));
  }

  async #readAll(waiting: Waiting): Promise<void> {
    try {
      this.#options.signal.throwIfAborted();
      // A large answer leaves out some of the sessions.
      while (waiting.size > 0) await this.#readSome(waiting);
    } catch (error) {
      const isOlderProxy = error instanceof ProxyError && error.code === NO_SUCH_CALL;
      if (isOlderProxy) await this.#readSingly(waiting);
      else for (const waiter of waiting.values()) waiter.reject(error);
    }
  }

  /** Settles the sessions that an answer has, and removes them from `waiting`. A line that cannot be read concerns no other session. */
  async #readSome(waiting: Waiting): Promise<void> {
    const { discount } = this.#options;
    const lines = await this.#admin.transcriptLines([...waiting.keys()], { discount }, this.#callOptions);
    const before = waiting.size;
    let problem: unknown = new Error("its answer has none of the sessions");
    for (const line of splitAnswerLines(lines)) {
      try {
        settle(waiting, line);
      } catch (error) {
        problem = error;
      }
    }
    if (waiting.size === before) throw problem;
  }

  /** Reads each session with a call of its own. */
  async #readSingly(waiting: Waiting): Promise<void> {
    const { discount } = this.#options;
    for (const [id, waiter] of waiting) {
      try {
        const { interactions, ...head } = await this.#admin.transcript(id, { discount }, this.#callOptions);
        waiter.resolve({ sessionId: id, head, interactions: Buffer.from(JSON.stringify(interactions)) });
      } catch (error) {
        waiter.reject(error);
      }
    }
  }

  get #callOptions() {
    return { signal: this.#options.signal, timeoutSeconds: CALL_SECONDS };
  }
}

function settle(waiting: Waiting, line: Buffer): void {
  const answer = readSessionAnswer(line);
  const waiter = waiting.get(answer.sessionId);
  if ("code" in answer) waiter?.reject(new ProxyError(answer.code, answer.message));
  else waiter?.resolve(answer);
  waiting.delete(answer.sessionId);
}
