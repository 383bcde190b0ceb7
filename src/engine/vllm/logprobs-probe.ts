import { native } from "../../native/addon.js";
import type { CallContent, LogprobContent, SamplingParams } from "../engine.js";

/** Time limit of a probe: a few tokens, but the server may have a long queue. */
const PROBE_MS = 15_000;

/** Pause after a failed probe. */
const RETRY_MS = 30_000;

/**
 * Remembers what the log probabilities of one vLLM server include. No endpoint reports this, so a probe generation finds
 * it out: once, and again after the server was unreachable.
 */
export class LogprobsProbe {
  #content: LogprobContent | undefined;
  #running: Promise<LogprobContent> | undefined;
  #retryAt = 0;

  /** Undefined until a probe has succeeded. */
  get content(): LogprobContent | undefined {
    return this.#content;
  }

  /**
   * Runs the probe, unless the result is known or the last probe failed recently. Concurrent calls share one probe.
   *
   * @returns `unknown` if the probe fails
   */
  async find(probe: () => Promise<LogprobContent>): Promise<LogprobContent> {
    if (this.#content !== undefined) return this.#content;
    if (performance.now() < this.#retryAt) return "unknown";
    this.#running ??= this.#run(probe);
    return await this.#running;
  }

  /** Forgets the result and ignores a probe in flight. */
  forget(): void {
    this.#content = undefined;
    this.#running = undefined;
    this.#retryAt = 0;
  }

  #run(probe: () => Promise<LogprobContent>): Promise<LogprobContent> {
    const running: Promise<LogprobContent> = probe().then(
      (content) => {
        if (this.#running === running) this.#content = content;
        return content;
      },
      () => {
        if (this.#running === running) this.#retryAt = performance.now() + RETRY_MS;
        return "unknown" as const;
      },
    );
    void running.finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
  }
}

/**
 * Top-k 1 leaves one token. A log probability taken after truncation is then 0; one taken before temperature and penalties
 * is that of the likeliest token. Several tokens are generated, because one alone may be certain anyway.
 */
const PROBE_SAMPLING: SamplingParams = {
  temperature: 2,
  topP: 1,
  topK: 1,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  repetitionPenalty: 1,
  minTokens: 0,
  ignoreEos: false,
  logitBias: [],
  thinkingBudget: undefined,
  maxTokens: 4,
  stop: [],
  stopTokenIds: [],
  seed: undefined,
  topLogprobs: 0,
};

/**
 * Generates a few tokens after the first token of a call's prompt: with so little context, the model is least certain.
 *
 * @throws EngineError or the timeout's reason if the server does not answer in time, Error if it generates no token
 */
export async function runProbe(
  { prompt, affinityKey }: CallContent,
  generate: (probe: CallContent, signal: AbortSignal) => Promise<void>,
): Promise<LogprobContent> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const generation = new native.Generation();
  const start = new native.Session().prompt([prompt.tokens().slice(0, 1)]);
  const call = { prompt: start, generation, sampling: PROBE_SAMPLING, affinityKey, currentVersion: () => 0, signal };
  try {
    await generate(call, signal);
    return classifyLogprobs([...generation.logprobs()]);
  } finally {
    start.release();
  }
}

/** Rounding error of a log probability that is 0 or belongs to a tie. */
const ROUNDING = 1e-5;

/** Largest number of equal logits that counts as a tie; more equal logits mean a model without preferences. */
const LARGEST_TIE = 8;

/** Returns what the log probabilities of a generation with top-k 1 include. */
export function classifyLogprobs(logprobs: readonly number[]): LogprobContent {
  if (logprobs.length === 0) throw new Error("The engine's reply to the probe contains no tokens.");
  // The modes `raw_logits` and `processed_logits` report logits.
  if (logprobs.some((logprob) => logprob > ROUNDING)) return "unknown";
  const isTruncated = logprobs.some((logprob) => logprob > -ROUNDING) && logprobs.every(belongsToTie);
  return isTruncated ? "truncated" : "raw";
}

/** Top-k keeps all tokens whose logit equals the k-th. Each of n equal tokens then has the probability 1/n. */
function belongsToTie(logprob: number): boolean {
  const count = Math.round(Math.exp(-logprob));
  return count <= LARGEST_TIE && Math.abs(logprob + Math.log(count)) < ROUNDING;
}
