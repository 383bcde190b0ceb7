import { native } from "../../native/addon.js";
import type { GenerateCall, LogprobContent, SamplingParams } from "../engine.js";

/** A generation of a few tokens, behind whatever the server has in its queue. */
const PROBE_MS = 15_000;

/** Between two attempts if the first got no answer. */
const RETRY_MS = 30_000;

/**
 * Remembers what the log probabilities of one vLLM server include. No endpoint tells, so a probe generation does: it is
 * sent once, and again after the server was out of reach.
 */
export class LogprobsProbe {
  #content: LogprobContent | undefined;
  #running: Promise<LogprobContent> | undefined;
  #retryAt = 0;

  /** Undefined until a probe was answered. */
  get content(): LogprobContent | undefined {
    return this.#content;
  }

  /**
   * Runs the probe unless its result is known, or the last one failed a short while ago. Calls at the same time share
   * one probe.
   *
   * @returns `unknown` if the probe fails.
   */
  async find(probe: () => Promise<LogprobContent>): Promise<LogprobContent> {
    if (this.#content !== undefined) return this.#content;
    if (performance.now() < this.#retryAt) return "unknown";
    this.#running ??= this.#run(probe);
    return await this.#running;
  }

  /** Forgets the result, and that of a probe in flight. */
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
 * With top-k 1 one token is left. If its log probability is taken after truncation it is 0; if it is taken before
 * temperature and penalties it is that of the likeliest token. Several tokens, because one may be certain anyway.
 */
const PROBE_SAMPLING: SamplingParams = {
  temperature: 2,
  topP: 1,
  topK: 1,
  minP: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  maxTokens: 4,
  stop: [],
  stopTokenIds: [],
  seed: undefined,
  topLogprobs: 0,
};

/**
 * Generates a few tokens behind the first token of a call's prompt, with which the model knows least about what follows.
 *
 * @throws when the server does not answer in time, or with no token.
 */
export async function runProbe(
  { prompt, affinityKey }: GenerateCall,
  generate: (probe: GenerateCall, signal: AbortSignal) => Promise<void>,
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

/** Rounding of a log probability that is 0 or that of a tie. */
const ROUNDING = 1e-5;

/** More equal logits than this are no tie but a model that knows nothing. */
const LARGEST_TIE = 8;

function classifyLogprobs(logprobs: readonly number[]): LogprobContent {
  if (logprobs.length === 0) throw new Error("The engine's reply to the probe has no tokens.");
  // The modes `raw_logits` and `processed_logits` report logits.
  if (logprobs.some((logprob) => logprob > ROUNDING)) return "unknown";
  const isTruncated = logprobs.some((logprob) => logprob > -ROUNDING) && logprobs.every(belongsToTie);
  return isTruncated ? "truncated" : "raw";
}

/** Top-k keeps all tokens whose logit equals that of the k-th: of n equal ones each has the probability 1/n. */
function belongsToTie(logprob: number): boolean {
  const count = Math.round(Math.exp(-logprob));
  return count <= LARGEST_TIE && Math.abs(logprob + Math.log(count)) < ROUNDING;
}
