import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";
import type { CallMemory, MemoryBudget } from "./memory-budget.js";
import {
  NO_FINAL_LIMITS,
  requirePossibleChoices,
  requireRoom,
  requireRoomForCall,
  type SessionLimits,
  SessionLoad,
} from "./session-limits.js";

/** `model`: the call is recorded. `count`: the call counts tokens or reads a response, and adds nothing to its session. */
export type CallKind = "model" | "count";

/** How many tokens the output of a call is expected to have before there were calls. */
const FIRST_EXPECTED_TOKENS = 1024;
/** Weight of the newest output in the mean. */
const NEWEST_SHARE = 1 / 32;

/**
 * The expected length of outputs: the mean of recent ones. Most calls end long before their limit, which is often all that the context
 * has left. For many calls together, the mean is close to what they take.
 */
class ExpectedOutput {
  #tokens = FIRST_EXPECTED_TOKENS;

  /** Returns the tokens that a call is expected to sample if it may sample so many. */
  tokens(limit: number): number {
    return Math.min(limit, Math.ceil(this.#tokens));
  }

  note(tokens: number): void {
    this.#tokens += (tokens - this.#tokens) * NEWEST_SHARE;
  }
}

/** Admits calls within the limits of their session and of the store, and counts those in flight. */
export class Admission {
  readonly #store: MemoryBudget;
  readonly #limits: SessionLimits;
  readonly #loads = new WeakMap<Session, SessionLoad>();
  readonly #output = new ExpectedOutput();

  constructor(store: MemoryBudget, limits: SessionLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Admits a call before its body is read.
   *
   * @param bodyBytes declared size of the body, or the largest allowed size if it declares none
   * @param isDeclared false if the body declares no size. What it takes at its peak then counts once it is received.
   * @throws ApiError `session_limit`, `too_many_calls` or `store_full`
   */
  admit(session: Session, kind: CallKind, bodyBytes: number, isDeclared = true): AdmittedCall {
    const load = this.#loads.get(session) ?? new SessionLoad();
    this.#loads.set(session, load);
    const limits = kind === "model" ? this.#limits : { ...this.#limits, ...NO_FINAL_LIMITS };
    requireRoomForCall(session, load, limits);
    const memory = reserve(bodyBytes, isDeclared ? bodyBytes : 0);
    this.#store.requireRoomForCall(memory);
    if (isDeclared) this.#store.requireRoomForBody(bodyBytes);
    return new AdmittedCall({ session, kind, load, limits, store: this.#store, output: this.#output }, memory);
  }
}

interface AdmissionContext {
  readonly session: Session;
  readonly kind: CallKind;
  readonly load: SessionLoad;
  readonly limits: SessionLimits;
  readonly store: MemoryBudget;
  readonly output: ExpectedOutput;
}

/**
 * A call in flight. It counts for its session and the store until it has run and its answer is sent. Otherwise a client that does
 * not read its answers could fill the memory with them.
 *
 * Before the body is read, it reserves memory by the body's size. The prompt settles the reservation, the channels of the expected output
 * add to it, and the answer replaces it.
 */
export class AdmittedCall {
  readonly #context: AdmissionContext;
  #memory = NO_MEMORY;
  /** Size of the files that were fetched for the call. */
  #files = 0;
  #growth = NO_GROWTH;
  /** Memory from which the rest of the answer is written. */
  #source = 0;
  #counts = false;
  /** True while the call may still be recorded. */
  #recordable = false;
  #running = false;
  /** The further choices of this call. */
  readonly #choices: AdmittedCall[] = [];
  #answered = false;

  constructor(context: AdmissionContext, memory: CallMemory) {
    this.#context = context;
    this.#count(true, context.kind === "model");
    this.#resize(memory);
  }

  /**
   * Marks the call as running.
   *
   * @param bodyBytes size of the body that was received. It may be less than the size that was admitted.
   * @throws ApiError `store_full` if the body declared no size and there is no room for it
   */
  begin(bodyBytes: number): void {
    const { growing } = this.#memory;
    if (bodyBytes > growing) this.#context.store.requireRoomForBody(bodyBytes - growing);
    this.#running = true;
    // If the client has disconnected meanwhile, the call was ended. The route still runs it, so it counts again.
    this.#count(true, this.#context.kind === "model");
    const received = reserve(bodyBytes);
    this.#resize({ text: received.text, prompt: received.prompt + this.#files, growing: received.growing });
  }

  /**
   * Counts bytes of a file that is fetched for the call before the call begins. They count until {@link addPrompt}.
   *
   * @throws ApiError `store_full`
   */
  addFile(bytes: number): void {
    // The client has disconnected.
    if (!this.#counts) return;
    this.#context.store.requireRoomForCall({ text: 0, prompt: bytes });
    this.#files += bytes;
    this.#resize({ ...this.#memory, prompt: this.#memory.prompt + bytes });
  }

  /**
   * Admits the further choices of the call. Each counts as a separate call until this call is answered.
   *
   * @throws ApiError `session_limit`, `too_many_calls` or, if waiting cannot help, `invalid_value`
   */
  admitChoices(count: number): AdmittedCall[] {
    const { session, load, limits } = this.#context;
    requirePossibleChoices(1 + count, limits);
    for (let i = 0; i < count; i++) {
      requireRoomForCall(session, load, limits, 1 + i);
      const choice = new AdmittedCall(this.#context, NO_MEMORY);
      choice.#running = true;
      choice.#answered = this.#answered;
      this.#choices.push(choice);
    }
    return this.#choices;
  }

  /** Marks the call as one to an upstream, which is not recorded. Its body counts until its answer is sent. */
  passOn(bodyBytes: number): void {
    if (!this.#counts) return;
    this.#count(true, false);
    this.holdAnswer(bodyBytes);
  }

  /**
   * Settles the reservation when the prompt is known, before the engine is asked. A later prompt of the call replaces this one.
   *
   * @param growth what the call adds to its session, without its output
   * @param promptBytes native memory of the prompt until the call ends
   * @throws ApiError `session_limit` or `store_full`
   */
  addPrompt(growth: SessionGrowth, promptBytes: number): void {
    const { session, load, limits, store } = this.#context;
    load.grow(-this.#growth.tokens, -this.#growth.bytes);
    this.#growth = NO_GROWTH;
    requireRoom(session, { tokens: load.tokens + growth.tokens, bytes: load.bytes + growth.bytes }, limits);
    // When the call is recorded, the memory that its session keeps replaces the prompt. Until then, the larger of the two counts.
    const prompt = Math.max(promptBytes, growth.bytes);
    const more = prompt - this.#memory.prompt;
    if (more > 0) store.requireRoomForCall({ text: 0, prompt: more });
    this.#resize({ text: this.#memory.text, prompt, growing: 0 });
    this.#growth = growth;
    load.grow(growth.tokens, growth.bytes);
  }

  /**
   * Reserves what the channels of the output may take, before the engine is asked.
   *
   * @param limit maximum number of output tokens
   * @throws ApiError `session_limit` or `store_full`
   */
  addOutput(limit: number, bytesPerToken: number): void {
    const { session, load, limits, store, output } = this.#context;
    const bytes = output.tokens(limit) * bytesPerToken;
    requireRoom(session, { tokens: load.tokens, bytes: load.bytes + bytes }, limits);
    store.requireRoomForCall({ text: 0, prompt: bytes });
    this.#resize({ ...this.#memory, prompt: this.#memory.prompt + bytes });
    this.#growth = { tokens: this.#growth.tokens, bytes: this.#growth.bytes + bytes };
    load.grow(0, bytes);
  }

  /** Notes how long the output became. Later calls are expected to have outputs of about this length. */
  noteOutput(tokens: number): void {
    this.#context.output.note(tokens);
  }

  /**
   * Counts an answer before it is written.
   *
   * @throws ApiError `store_full`
   */
  addAnswer(bytes: number): void {
    const { store } = this.#context;
    store.requireRoomForCall({ text: bytes, prompt: 0 });
    this.#resize({ ...this.#memory, text: this.#memory.text + bytes });
  }

  /**
   * Marks the call as run. The recorded call now counts in its session's memory, so only its answer still counts here.
   *
   * @param unsentBytes size of the unsent part of its answer
   */
  finish(unsentBytes: number): void {
    this.#running = false;
    this.#count(true, false);
    this.#context.load.grow(-this.#growth.tokens, -this.#growth.bytes);
    this.#growth = NO_GROWTH;
    this.holdAnswer(unsentBytes);
    for (const choice of this.#choices) choice.finish(0);
    if (this.#answered) this.#end();
  }

  /** Counts an answer until it is sent, instead of the body and the prompt. Like a prompt, it is outside of the heap. */
  holdAnswer(bytes: number): void {
    if (this.#counts) this.#resize({ text: 0, prompt: bytes + this.#source, growing: 0 });
  }

  /** Counts memory from which the end of a stream is written, until it is sent. Call this before `finish`. */
  holdSource(bytes: number): void {
    this.#source = bytes;
  }

  /** Notes that the answer was sent, or that its client disconnected. Idempotent. */
  answered(): void {
    this.#answered = true;
    for (const choice of this.#choices) choice.answered();
    if (!this.#running) this.#end();
  }

  #end(): void {
    if (!this.#counts) return;
    this.#count(false, false);
    this.#resize(NO_MEMORY);
  }

  #count(counts: boolean, recordable: boolean): void {
    this.#context.load.add(Number(counts) - Number(this.#counts), Number(recordable) - Number(this.#recordable));
    this.#counts = counts;
    this.#recordable = recordable;
  }

  #resize(memory: CallMemory): void {
    this.#context.store.replace(this.#memory, memory);
    this.#memory = memory;
  }
}

const NO_MEMORY: CallMemory = { text: 0, prompt: 0, growing: 0 };
const NO_GROWTH: SessionGrowth = { tokens: 0, bytes: 0 };

/**
 * Returns the memory that a call reserves until its prompt is known. The token ids count as much as the body: a token has about four
 * characters and takes four bytes.
 */
function reserve(bodyBytes: number, growing = bodyBytes): CallMemory {
  return { text: bodyBytes, prompt: bodyBytes, growing };
}
