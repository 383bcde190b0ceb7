import { MAX_ENTRIES, type Updates, type WireReport, type WireSession } from "../lease/protocol.js";

export interface WorkerUpdatesOptions {
  /** Sends one call. */
  readonly send: (sessions: readonly WireSession[], reports: readonly WireReport[]) => Promise<Updates>;
  /** Return how long a session and a report wait for others, in milliseconds. */
  readonly pauses: { readonly session: () => number; readonly report: () => number };
}

interface Waiting<Item> {
  readonly item: Item;
  /** Called with false if the lease is lost, or the report is refused. */
  readonly resolve: (isHeld: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of reports of one call. A rejection may have long texts. */
const MAX_REPORTS = MAX_ENTRIES / 16;

/**
 * Sends sessions and reports of a rollout worker to its controller. Those that are added during a pause, or while a call is running,
 * share the next call.
 */
export class WorkerUpdates {
  readonly #options: WorkerUpdatesOptions;
  readonly #sessions: Waiting<WireSession>[] = [];
  readonly #reports: Waiting<WireReport>[] = [];
  /** When the next call is due, on the clock of `performance.now()`. */
  #dueAt = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isSending = false;

  constructor(options: WorkerUpdatesOptions) {
    this.#options = options;
  }

  /** Announces a session. Returns false if its lease is lost. */
  announce(session: WireSession): Promise<boolean> {
    return this.#add(this.#sessions, session, this.#options.pauses.session());
  }

  /** Reports a result. Returns false if it comes too late. */
  report(report: WireReport): Promise<boolean> {
    return this.#add(this.#reports, report, this.#options.pauses.report());
  }

  #add<Item>(waiting: Waiting<Item>[], item: Item, pause: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      this.#sendWithin(pause);
    });
  }

  #sendWithin(milliseconds: number): void {
    const dueAt = performance.now() + milliseconds;
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    if (!this.#isSending) this.#setTimer();
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const milliseconds = this.#dueAt - performance.now();
    // A timer waits for at least one millisecond, so items of the same event turn share a call even without a pause.
    this.#timer = setTimeout(() => void this.#send(), milliseconds);
  }

  async #send(): Promise<void> {
    const sessions = this.#sessions.splice(0, MAX_ENTRIES);
    const reports = this.#reports.splice(0, MAX_REPORTS);
    this.#isSending = true;
    this.#dueAt = this.#sessions.length + this.#reports.length > 0 ? 0 : Number.POSITIVE_INFINITY;
    try {
      const answer = await this.#options.send(
        sessions.map(({ item }) => item),
        reports.map(({ item }) => item),
      );
      this.#settle(sessions, reports, answer);
    } catch (error) {
      for (const { reject } of [...sessions, ...reports]) reject(error);
    }
    this.#isSending = false;
    if (this.#dueAt < Number.POSITIVE_INFINITY) this.#setTimer();
  }

  #settle(sessions: Waiting<WireSession>[], reports: Waiting<WireReport>[], answer: Updates): void {
    const lost = new Set(answer.lost);
    for (const { item, resolve } of sessions) resolve(!lost.has(item.lease_id));
    const refused = new Set(answer.refused);
    for (const { item, resolve } of reports) resolve(!refused.has(item.lease_id));
  }
}
