import type { Session } from "../../session/session.js";
import type { SessionGrowth } from "../../session/session-size.js";
import { NO_FINAL_LIMITS, requireRoom, requireRoomForCall, type SessionLimits, SessionLoad } from "./session-limits.js";
import type { CallMemory, Store } from "./store.js";

/** `model`: the call is recorded. `count`: the call counts tokens and adds nothing to its session. */
export type CallKind = "model" | "count";

/** Admits calls within the limits of their session and of the store, and counts those in flight. */
export class Admission {
  readonly #store: Store;
  readonly #limits: SessionLimits;
  readonly #loads = new WeakMap<Session, SessionLoad>();

  constructor(store: Store, limits: SessionLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /**
   * Admits a call before its body is read.
   *
   * @param bodyBytes declared size of the body, or the largest allowed size if it declares none
   * @throws ApiError `session_limit`, `too_many_calls` or `store_full`
   */
  admit(session: Session, kind: CallKind, bodyBytes: number): AdmittedCall {
    const load = this.#loads.get(session) ?? new SessionLoad();
    this.#loads.set(session, load);
    const limits = kind === "model" ? this.#limits : { ...this.#limits, ...NO_FINAL_LIMITS };
    requireRoomForCall(session, load, limits);
    const memory = toMemory(bodyBytes);
    this.#store.requireRoomForCall(memory);
    return new AdmittedCall({ session, kind, load, limits, store: this.#store }, memory);
  }
}

interface AdmissionContext {
  readonly session: Session;
  readonly kind: CallKind;
  readonly load: SessionLoad;
  readonly limits: SessionLimits;
  readonly store: Store;
}

/** A call in flight. Counts for its session and the store until it ends. */
export class AdmittedCall {
  readonly #context: AdmissionContext;
  #memory: CallMemory = { text: 0, prompt: 0 };
  #growth: SessionGrowth = { tokens: 0, bytes: 0 };
  #counts = false;
  #running = false;

  constructor(context: AdmissionContext, memory: CallMemory) {
    this.#context = context;
    this.#count(1);
    this.#resize(memory);
  }

  /** True once a route runs the call. The route then ends it. */
  get running(): boolean {
    return this.#running;
  }

  /**
   * Marks the call as running.
   *
   * @param bodyBytes size of the body that was received. It may be less than the size that was admitted.
   */
  begin(bodyBytes: number): void {
    this.#running = true;
    // If the client has disconnected meanwhile, the call was ended. The route still runs it, so it counts again.
    if (!this.#counts) this.#count(1);
    this.#resize(toMemory(bodyBytes));
  }

  /**
   * Counts the prompt, before the engine is asked.
   *
   * @param growth what the prompt adds to its session
   * @throws ApiError `session_limit` or `store_full`
   */
  addPrompt(growth: SessionGrowth, promptBytes: number): void {
    const { session, load, limits, store } = this.#context;
    requireRoom(session, { tokens: load.tokens + growth.tokens, bytes: load.bytes + growth.bytes }, limits);
    const more = promptBytes - this.#memory.prompt;
    if (more > 0) store.requireRoomForCall({ text: 0, prompt: more });
    this.#resize({ ...this.#memory, prompt: promptBytes });
    this.#growth = growth;
    load.grow(growth.tokens, growth.bytes);
  }

  /** Stops counting the call. Idempotent. */
  end(): void {
    if (!this.#counts) return;
    this.#count(-1);
    this.#resize({ text: 0, prompt: 0 });
    this.#context.load.grow(-this.#growth.tokens, -this.#growth.bytes);
  }

  #count(calls: 1 | -1): void {
    const { kind, load } = this.#context;
    this.#counts = calls === 1;
    load.add(calls, kind === "model" ? calls : 0);
  }

  #resize(memory: CallMemory): void {
    this.#context.store.count({ text: memory.text - this.#memory.text, prompt: memory.prompt - this.#memory.prompt });
    this.#memory = memory;
  }
}

/** Until the prompt is known, its token ids count as much as the body: a token has about four characters and takes four bytes. */
const toMemory = (bodyBytes: number): CallMemory => ({ text: bodyBytes, prompt: bodyBytes });
