import { setTimeout as sleep } from "node:timers/promises";
import type { FinishReason, GenerateOutcome, GenerateRequest, OutputToken } from "./protocol.js";
import { BadRequest } from "./request.js";

export interface SchedulerOptions {
  /** Returns the ids that the model samples for a request, without a stop token. */
  readonly complete: (request: GenerateRequest) => readonly number[];
  /** 0: the whole completion at once. */
  readonly tokenMilliseconds: number;
  readonly maxRunning: number;
  readonly weightVersion: string;
  /** Ends a completion if the request names no stop token. */
  readonly eosTokenId: number;
  /** Is called with the sampled tokens of each request, including aborted ones. */
  readonly onOutcome?: ((request: GenerateRequest, outcome: GenerateOutcome) => void) | undefined;
}

export type PauseMode = "abort" | "retract" | "in_place";

interface Job {
  readonly request: GenerateRequest;
  readonly tokens: OutputToken[];
  /** Is called for each token, and awaited. */
  readonly onToken: ((tokens: readonly OutputToken[]) => Promise<void> | undefined) | undefined;
  running: boolean;
  aborted: boolean;
}

/**
 * Runs requests like SGLang's scheduler, with invented tokens: a waiting queue, a limit of running requests, aborts by
 * rid prefix, three ways of pausing, weight versions.
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
    const job: Job = { request, tokens: [], onToken, running: false, aborted: false };
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
    while (!job.aborted && this.#running() >= this.#options.maxRunning) await this.#change();
    if (job.aborted) return this.#outcome(job, { type: "abort", message: "Abort in waiting queue" }, true);
    job.running = true;
    this.#prefill();
    const planned = plannedOutput(job.request, this.#options.complete(job.request), this.#options.eosTokenId);
    for (const id of planned.ids) {
      if (this.tokenMilliseconds > 0) await sleep(this.tokenMilliseconds);
      await this.#pass(job);
      if (job.aborted) return this.#outcome(job, aborted(), false);
      job.tokens.push({ id, logprob: inventedLogprob(id, job.tokens.length), version: this.weightVersion });
      await job.onToken?.(job.tokens);
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
    if (retracted && !job.aborted) this.#prefill();
  }

  #prefill(): void {
    if ([...this.#cached].some((weights) => weights !== this.weights)) this.staleHits++;
    this.#cached.add(this.weights);
  }

  #outcome(job: Job, finish: FinishReason, neverRan: boolean): GenerateOutcome {
    return { tokens: job.tokens, finish, neverRan, weightVersion: this.weightVersion };
  }

  #running(): number {
    return [...this.#jobs.values()].filter(({ running }) => running).length;
  }

  /** SGLang matches by prefix, and ignores an empty rid unless `all`. */
  abort(ridPrefix: string, all: boolean): void {
    for (const [rid, job] of this.#jobs) {
      if (all || (ridPrefix !== "" && rid.startsWith(ridPrefix))) job.aborted = true;
    }
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

/** Ends a completion with its first stop token, or adds one, or cuts it at the token limit. */
function plannedOutput({ sampling }: GenerateRequest, completion: readonly number[], eosTokenId: number) {
  const stopIds = sampling.stop_token_ids.length > 0 ? sampling.stop_token_ids : [eosTokenId];
  const output = [...completion, ...stopIds.slice(0, 1)];
  const end = output.findIndex((id) => stopIds.includes(id));
  const ids = output.slice(0, Math.min(end + 1, sampling.max_new_tokens));
  const matched = output[end] ?? eosTokenId;
  const finish: FinishReason =
    ids.length === end + 1 ? { type: "stop", matched } : { type: "length", length: ids.length };
  return { ids, finish };
}

/** Differs for every position and id, and is exact in float32, so that tests can compare without tolerance. */
export function inventedLogprob(id: number, index: number): number {
  return Math.fround(-(((id * 31 + index * 17) % 997) + 1) / 256);
}
