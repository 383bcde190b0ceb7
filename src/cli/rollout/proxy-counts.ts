/** Maximum time that a proxy may take to answer. The progress of a job must not wait for it. */
const ANSWER_MS = 5000;

const TOKENS = /^rolltape_tokens_total(\{.*direction="completion"\}) (\S+)$/gm;
const SESSIONS = /^rolltape_session_duration_seconds_count(\{.*\}) (\S+)$/gm;

/** Counts what the engines of a proxy have sampled, and which sessions are over, since the start, from the proxy's metrics. */
export class ProxyCounts {
  readonly #url: string;
  readonly #started = performance.now();
  readonly #tokens = new Counter();
  readonly #sessions = new Counter();

  private constructor(url: string) {
    this.#url = url;
  }

  /** Reads the current counts, and counts from there. */
  static async start(url: string): Promise<ProxyCounts> {
    const counts = new ProxyCounts(url);
    const text = await counts.#read();
    counts.#tokens.begin(readSamples(text, TOKENS));
    counts.#sessions.begin(readSamples(text, SESSIONS));
    return counts;
  }

  /** Number of sampled tokens at the last {@link refresh}, including those of workers that have died. */
  get tokens(): number {
    return this.#tokens.count;
  }

  /** Average since the start, at the last {@link refresh}. */
  get tokensPerSecond(): number {
    return this.tokens / Math.max(1e-3, (performance.now() - this.#started) / 1000);
  }

  /** Number of sessions that are over at the last {@link refresh}, also of attempts that were lost. */
  get sessions(): number {
    return this.#sessions.count;
  }

  async refresh(): Promise<void> {
    const text = await this.#read();
    this.#tokens.update(readSamples(text, TOKENS));
    this.#sessions.update(readSamples(text, SESSIONS));
  }

  async #read(): Promise<string> {
    const answer = await fetch(`${this.#url}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${this.#url}/metrics returned status ${answer.status}`);
    return text;
  }
}

/** Returns the values of a metric by labels, which name the worker behind a gateway. */
function readSamples(text: string, pattern: RegExp): [string, number][] {
  return [...text.matchAll(pattern)].map(([, labels = "", count]) => [labels, Number(count)]);
}

/** A count over all workers. */
class Counter {
  /** The newest count of each worker, and the count before the start. */
  readonly #counts = new Map<string, { last: number; readonly before: number }>();

  begin(samples: readonly (readonly [string, number])[]): void {
    for (const [labels, count] of samples) this.#counts.set(labels, { last: count, before: count });
  }

  update(samples: readonly (readonly [string, number])[]): void {
    for (const [labels, last] of samples) {
      this.#counts.set(labels, { last, before: this.#counts.get(labels)?.before ?? 0 });
    }
  }

  get count(): number {
    return [...this.#counts.values()].reduce((sum, { last, before }) => sum + last - before, 0);
  }
}
