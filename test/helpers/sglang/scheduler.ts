import { setTimeout as sleep } from "node:timers/promises";
import {
  BadRequest,
  type FinishReason,
  type GenerateOutcome,
  type GenerateRequest,
  type OutputToken,
} from "./protocol.js";

export interface SchedulerOptions {
  /** Returns the ids that the model samples for a request, without a stop token. */
  readonly complete: (request: GenerateRequest) => readonly number[];
  /** Returns true for ids that the server forces: their log probability is 0. */
  readonly isForced?: ((id: number) => boolean) | undefined;
  /** 0: the whole completion at once. */
  readonly tokenMilliseconds: number;
  readonly maxRunning: number;
  /** Number of requests that may wait for a running one to end. More are refused. */
  readonly maxQueued?: number | undefined;
  readonly weightVersion: string;
  /** Ends a completion, unless the request ignores it. Appended where the request names no other stop token. */
  readonly eosTokenId: number;
  /** Returns the text of a token. Default: " t5" for 5. */
  readonly tokenText?: ((id: number) => string) | undefined;
  /** False: stop strings do nothing, as in a server without a detokenizer that accepts them all the same. */
  readonly findsStops?: boolean | undefined;
  /** Is called with the sampled tokens of each request, including aborted ones. */
  readonly onOutcome?: ((request: GenerateRequest, outcome: GenerateOutcome) => void) | undefined;
}

export type PauseMode = "abort" | "retract" | "in_place";

interface Job {
  readonly request: GenerateRequest;
  readonly tokens: OutputToken[];
  /** Is called for each token, and awaited, except for the last one: it is in the outcome. */
  readonly onToken: ((tokens: readonly OutputToken[]) => Promise<void> | undefined) | undefined;
  running: boolean;
  aborted: boolean;
  retractions: number;
}

/**
 * Runs requests like SGLang's scheduler, with invented tokens: a waiting queue, a limit of running requests, aborts by
 * rid, three ways of pausing, weight versions.
 */
export class SglangScheduler {
  readonly #options: SchedulerOptions;
  readonly #jobs = new Map<string, Job>();
  #waiters: (() => void)[] = [];
  #paused: PauseMode | undefined;
  /** Requests whose grammar is being compiled. The scheduler takes one each time that a pause ends. */
  compiling = 0;
  weightVersion: string;
  tokenMilliseconds: number;
  /** The weights that sample: a path, or a name of the test's choice for tensors that a trainer pushes. */
  weights = "initial";
  /** Weights whose prompts are in the prefix cache. */
  readonly #cached = new Set<string>();
  /** Number of generations that read cached prompts of other weights. */
  staleHits = 0;
  /** Number of loads while requests were running: their tokens come from a mixture of weights. */
  loadsWhileRunning = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.weightVersion = options.weightVersion;
    this.tokenMilliseconds = options.tokenMilliseconds;
  }

  /** Number of requests that were accepted and not answered yet. */
  get pending(): number {
    return this.#jobs.size;
  }

  /** Number of pending requests that have no token yet. */
  get pendingWithoutToken(): number {
    return [...this.#jobs.values()].filter(({ tokens }) => tokens.length === 0).length;
  }

  get paused(): boolean {
    return this.#paused !== undefined;
  }

  async unpaused(): Promise<void> {
    while (this.#paused) await this.#change();
  }

  /** Number of tokens of pending requests so far. */
  get pendingTokens(): number {
    return [...this.#jobs.values()].reduce((sum, { tokens }) => sum + tokens.length, 0);
  }

  async generate(request: GenerateRequest, onToken?: Job["onToken"]): Promise<GenerateOutcome> {
    while (this.#paused) await this.#change();
    if (this.#jobs.has(request.rid)) throw new BadRequest(`Duplicate request id detected: ${request.rid}`);
    const job: Job = { request, tokens: [], onToken, running: false, aborted: false, retractions: 0 };
    this.#jobs.set(request.rid, job);
    try {
      const outcome = await this.#run(job);
      this.#options.onOutcome?.(request, outcome);
      return outcome;
    } finally {
      this.#jobs.delete(request.rid);
      this.#wake();
    }
  }

  async #run(job: Job): Promise<GenerateOutcome> {
    if (this.#waiting() > (this.#options.maxQueued ?? Number.POSITIVE_INFINITY)) {
      return this.#outcome(job, { type: "abort", status_code: 503, message: "The request queue is full." }, true);
    }
    while (!job.aborted && this.#running() >= this.#options.maxRunning) await this.#change();
    if (job.aborted) return this.#outcome(job, { type: "abort", message: "Abort in waiting queue" }, true);
    job.running = true;
    this.#prefill();
    const planned = plannedOutput(job.request, this.#options);
    for (const id of planned.ids) {
      if (this.tokenMilliseconds > 0) await sleep(this.tokenMilliseconds);
      await this.#pass(job);
      // The step that an abort finds running still gives its token, unless it is the first.
      if (!job.aborted || job.tokens.length > 0) {
        const logprob = this.#options.isForced?.(id) ? 0 : inventedLogprob(id, job.tokens.length);
        job.tokens.push({ id, logprob, version: this.weightVersion, weights: this.weights });
      }
      if (job.aborted) return this.#outcome(job, aborted(), false);
      if (job.tokens.length < planned.ids.length) await job.onToken?.(job.tokens);
    }
    return this.#outcome(job, planned.finish, false);
  }

  /** Waits for the end of a pause. In a pause of the mode `retract`, a request loses its cache. */
  async #pass(job: Job): Promise<void> {
    let retracted = false;
    while (this.#paused && !job.aborted) {
      retracted ||= this.#paused === "retract";
      await this.#change();
    }
    if (!retracted || job.aborted) return;
    job.retractions++;
    this.#prefill();
  }

  #prefill(): void {
    if ([...this.#cached].some((weights) => weights !== this.weights)) this.staleHits++;
    this.#cached.add(this.weights);
  }

  #outcome(job: Job, finish: FinishReason, neverRan: boolean): GenerateOutcome {
    const { tokens, retractions } = job;
    return { tokens, finish, neverRan, weightVersion: this.weightVersion, retractions };
  }

  /** Number of requests that have to wait, with the newest. */
  #waiting(): number {
    const waiting = [...this.#jobs.values()].filter(({ running }) => !running).length;
    return this.#running() < this.#options.maxRunning ? 0 : waiting;
  }

  #running(): number {
    return [...this.#jobs.values()].filter(({ running }) => running).length;
  }

  abort(rid: string, all: boolean): void {
    for (const [each, job] of this.#jobs) if (all || each === rid) job.aborted = true;
    this.#wake();
  }

  pause(mode: PauseMode): void {
    this.#paused = mode;
    if (mode === "abort") {
      this.abort("", true);
      this.compiling = 0;
    }
  }

  /** Resolves when every aborted request is answered. */
  async cut(): Promise<void> {
    while ([...this.#jobs.values()].some(({ aborted }) => aborted)) await this.#change();
  }

  continue(): void {
    this.#paused = undefined;
    this.compiling = Math.max(0, this.compiling - 1);
    this.#wake();
  }

  load(weights: string): void {
    if (this.#running() > 0 && this.#paused !== "retract") this.loadsWhileRunning++;
    this.weights = weights;
  }

  /** Returns false if requests are pending; the cache is then kept. Those that wait in a pause `retract` have none. */
  flush(): boolean {
    if (this.compiling > 0 || (this.pending > 0 && this.#paused !== "retract")) return false;
    this.#cached.clear();
    return true;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

export function aborted(): FinishReason {
  return { type: "abort", message: "Aborted", status_code: null, err_type: null };
}

export const tokenText = (id: number): string => ` t${id}`;

/** Ends a completion at its first stop token or stop string, or adds a stop token, or cuts it at the token limit. */
function plannedOutput(request: GenerateRequest, options: SchedulerOptions) {
  const { eosTokenId, findsStops = true, tokenText: textOf = tokenText } = options;
  const { stop_token_ids: named, max_new_tokens: limit, ignore_eos: ignoresEos, stop } = request.sampling;
  const stopIds = [...named, ...(ignoresEos === true ? [] : [eosTokenId])];
  const output = [...options.complete(request), ...stopIds.slice(0, 1)].slice(0, limit);
  const byString = findsStops ? findStopString(output.map(textOf), stop) : undefined;
  const byId = output.findIndex((id) => stopIds.includes(id));
  if (byId >= 0 && (byString === undefined || byId <= byString.index)) {
    return { ids: output.slice(0, byId + 1), finish: { type: "stop", matched: output[byId] ?? eosTokenId } as const };
  }
  if (byString) {
    return { ids: output.slice(0, byString.index + 1), finish: { type: "stop", matched: byString.stop } as const };
  }
  return { ids: output, finish: { type: "length", length: output.length } as const };
}

/** Returns the token that completes a stop string first. */
function findStopString(texts: readonly string[], stops: readonly string[]) {
  let text = "";
  for (const [index, piece] of texts.entries()) {
    text += piece;
    const stop = stops.find((each) => text.includes(each));
    if (stop !== undefined) return { index, stop };
  }
  return undefined;
}

/** Differs for every position and id, and is exact in float32, so that tests can compare without tolerance. */
export function inventedLogprob(id: number, index: number): number {
  return Math.fround(-(((id * 31 + index * 17) % 997) + 1) / 256);
}
