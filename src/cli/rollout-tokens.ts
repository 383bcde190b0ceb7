/** Counts the tokens that a proxy's engine sampled, from its metrics. */
export class SampledTokens {
  readonly #url: string;
  readonly #started = performance.now();
  #count = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** As of the last {@link refresh}. */
  get count(): number {
    return this.#count;
  }

  /** Since the start, as of the last {@link refresh}. */
  get perSecond(): number {
    return this.#count / Math.max(1e-3, (performance.now() - this.#started) / 1000);
  }

  async refresh(): Promise<void> {
    const reply = await fetch(`${this.#url}/metrics`);
    const [, count] = /^rolltape_tokens_total\{direction="completion"\} (\S+)$/m.exec(await reply.text()) ?? [];
    this.#count = Number(count ?? 0);
  }
}
