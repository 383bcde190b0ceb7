/** Maximum time that a proxy may take to answer. The progress of a job must not wait for it. */
const ANSWER_MS = 5000;

/** Counts the tokens that the engines of a proxy have sampled since the start, from the proxy's metrics. */
export class SampledTokens {
  readonly #url: string;
  readonly #started = performance.now();
  /** The newest count of each worker, and the count before the start. */
  readonly #counts = new Map<string, { last: number; readonly before: number }>();

  private constructor(url: string) {
    this.#url = url;
  }

  /** Reads the current counts, and counts from there. */
  static async start(url: string): Promise<SampledTokens> {
    const tokens = new SampledTokens(url);
    for (const [worker, count] of await tokens.#read()) tokens.#counts.set(worker, { last: count, before: count });
    return tokens;
  }

  /** Number of sampled tokens at the last {@link refresh}, including those of workers that have died. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, { last, before }) => sum + last - before, 0);
  }

  /** Average since the start, at the last {@link refresh}. */
  get perSecond(): number {
    return this.count / Math.max(1e-3, (performance.now() - this.#started) / 1000);
  }

  async refresh(): Promise<void> {
    for (const [worker, last] of await this.#read()) {
      this.#counts.set(worker, { last, before: this.#counts.get(worker)?.before ?? 0 });
    }
  }

  async #read(): Promise<[string, number][]> {
    const answer = await fetch(`${this.#url}/metrics`, { signal: AbortSignal.timeout(ANSWER_MS) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${this.#url}/metrics returned status ${answer.status}`);
    const samples = text.matchAll(/^rolltape_tokens_total\{(.*)direction="completion"\} (\S+)$/gm);
    return [...samples].map(([, worker = "", count]) => [worker, Number(count)]);
  }
}
