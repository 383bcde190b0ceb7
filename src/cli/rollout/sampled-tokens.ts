/** How long a proxy may take to say. The progress of a job must not wait for it. */
const ANSWER_MS = 5000;

/** Counts the tokens that the engines of a proxy sampled since then, from its metrics. */
export class SampledTokens {
  readonly #url: string;
  readonly #started = performance.now();
  /** Of each worker, or of the only one, what it has sampled up to now and had before. */
  readonly #counts = new Map<string, { last: number; readonly before: number }>();

  private constructor(url: string) {
    this.#url = url;
  }

  static async of(url: string): Promise<SampledTokens> {
    const tokens = new SampledTokens(url);
    for (const [worker, count] of await tokens.#read()) tokens.#counts.set(worker, { last: count, before: count });
    return tokens;
  }

  /** As of the last {@link refresh}; with those of workers that have died since. */
  get count(): number {
    return [...this.#counts.values()].reduce((sum, { last, before }) => sum + last - before, 0);
  }

  /** Since the start, as of the last {@link refresh}. */
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
    if (!answer.ok) throw new Error(`GET ${this.#url}/metrics answers with status ${answer.status}`);
    const samples = text.matchAll(/^rolltape_tokens_total\{(.*)direction="completion"\} (\S+)$/gm);
    return [...samples].map(([, worker = "", count]) => [worker, Number(count)]);
  }
}
