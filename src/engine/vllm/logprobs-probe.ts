import { PLAIN_SAMPLING } from "../../facts/sampling.js";
import { native } from "../../native/addon.js";
import type { GenerateCall, LogprobContent, SamplingParams } from "../engine.js";
import type { ServerRequest } from "../servers/engine-server.js";
import { ReplyVersions } from "../servers/versions/reply-versions.js";
import { UnrecordableError } from "../servers/wire/errors.js";

/** Time limit of a probe: a few tokens, but the server may have a long queue. */
const PROBE_MS = 15_000;

/** Pause after a probe that failed or found logits. */
const RETRY_MS = 30_000;

/**
 * Remembers what the log probabilities of one vLLM server include. No endpoint reports this, so a probe generation finds
 * it out: once, and again after the server was unreachable.
 */
export class LogprobsProbe {
  #content: LogprobContent | undefined;
  #running: Promise<LogprobContent> | undefined;
  #retryAt = 0;
  /** The error of the last probe if it found logits. */
  #unrecordable: UnrecordableError | undefined;

  /** Undefined until a probe has succeeded. */
  get content(): LogprobContent | undefined {
    return this.#content;
  }

  /** @throws UnrecordableError if a probe has found logits recently */
  refuseLogits(): void {
    if (this.#unrecordable && performance.now() < this.#retryAt) throw this.#unrecordable;
  }

  /**
   * Runs the probe, unless the result is known or the last probe failed recently. Concurrent calls share one probe.
   *
   * @returns `unknown` if the probe fails
   * @throws UnrecordableError if the probe finds logits
   */
  async find(probe: () => Promise<LogprobContent>): Promise<LogprobContent> {
    if (this.#content !== undefined) return this.#content;
    this.refuseLogits();
    if (performance.now() < this.#retryAt) return "unknown";
    this.#running ??= this.#run(probe);
    return await this.#running;
  }

  /** Forgets the result and ignores a probe in flight. */
  forget(): void {
    this.#content = undefined;
    this.#running = undefined;
    this.#retryAt = 0;
    this.#unrecordable = undefined;
  }

  #run(probe: () => Promise<LogprobContent>): Promise<LogprobContent> {
    const running: Promise<LogprobContent> = probe().then(
      (content) => {
        if (this.#running === running) {
          this.#running = undefined;
          this.#content = content;
        }
        return content;
      },
      (error: unknown) => {
        const unrecordable = error instanceof UnrecordableError ? error : undefined;
        if (this.#running === running) {
          this.#running = undefined;
          this.#retryAt = performance.now() + RETRY_MS;
          this.#unrecordable = unrecordable;
        }
        if (unrecordable) throw unrecordable;
        return "unknown" as const;
      },
    );
    return running;
  }
}

/**
 * Top-k 1 leaves one token. A log probability taken after truncation is then 0; one taken before temperature and penalties
 * is that of the likeliest token. Several tokens are generated, because one alone may be certain anyway.
 */
const PROBE_SAMPLING: SamplingParams = {
  ...PLAIN_SAMPLING,
  temperature: 2,
  topK: 1,
  thinkingBudget: undefined,
  maxTokens: 4,
};

/**
 * Generates a few tokens after the first token of a call's prompt: with so little context, the model is least certain.
 *
 * @throws UnrecordableError if the values are logits
 * @throws EngineError or the timeout's reason if the server does not answer in time, Error if it generates no token
 */
export async function runProbe(
  { prompt, affinityKey }: GenerateCall,
  generate: (probe: ServerRequest) => Promise<void>,
): Promise<LogprobContent> {
  const signal = AbortSignal.timeout(PROBE_MS);
  const generation = new native.Generation();
  const start = new native.Session().prompt([prompt.tokens().slice(0, 1)]);
  const call = { prompt: start, generation, sampling: PROBE_SAMPLING, affinityKey, currentVersion: () => 0 };
  try {
    await generate({ call, signal, versions: new ReplyVersions(call), received: () => {}, ignored: () => {} });
    return classifyLogprobs([...generation.logprobs()]);
  } finally {
    start.release();
  }
}

/** Rounding error of a log probability that is 0 or belongs to a tie. */
const ROUNDING = 1e-5;

/** Largest number of equal logits that counts as a tie; more equal logits mean a model without preferences. */
const LARGEST_TIE = 8;

/** The likeliest of n tokens has a log probability of at least -log(n). No vocabulary is larger than this. */
const LEAST = -Math.log(2 ** 20);

const LOGITS =
  "The engine server reports logits instead of log probabilities, so nothing that it generates can be recorded. Start vLLM " +
  "with `--logprobs-mode processed_logprobs` instead of `processed_logits` or `raw_logits`.";

/**
 * Returns what the log probabilities of a generation with top-k 1 include.
 *
 * @throws UnrecordableError if they are logits
 */
export function classifyLogprobs(logprobs: readonly number[]): LogprobContent {
  if (logprobs.length === 0) throw new Error("The engine's reply to the probe contains no tokens.");
  // The modes `raw_logits` and `processed_logits`.
  const areLogits = logprobs.some((logprob) => logprob > ROUNDING || logprob < LEAST);
  if (areLogits) throw new UnrecordableError("engine_error", LOGITS);
  const isTruncated = logprobs.some((logprob) => logprob > -ROUNDING) && logprobs.every(belongsToTie);
  return isTruncated ? "truncated" : "raw";
}

/** Top-k keeps all tokens whose logit equals the k-th. Each of n equal tokens then has the probability 1/n. */
function belongsToTie(logprob: number): boolean {
  const count = Math.round(Math.exp(-logprob));
  return count <= LARGEST_TIE && Math.abs(logprob + Math.log(count)) < ROUNDING;
}
