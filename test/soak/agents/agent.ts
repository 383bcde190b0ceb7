import type { Dispatcher } from "undici";
import { type Random, randomText } from "../../helpers/random.js";
import type { Attempt, Outcome } from "./attempt.js";
import { type CallRequest, DIALECTS, type Dialect, type Message } from "./dialects.js";
import { ownPauses } from "./own-pauses.js";
import { drawLeaving, send } from "./send.js";

/** A place in a conversation that the agent can continue. */
interface Place {
  /** The interaction whose answer is the last message. */
  readonly id: string | undefined;
  readonly messages: readonly Message[];
}

/** Retries of a call, as the SDKs of OpenAI and Anthropic make by default. */
const MAX_RETRIES = 2;

/**
 * Number of later requests that the server must answer before it is sure to have seen a closed connection. A gateway and its worker
 * each take three turns: they read the end of the client's data, send a probe, and read the reset that answers it.
 */
const FENCE = 8;

export interface AgentOptions {
  readonly pool: Dispatcher;
  readonly session: string;
  readonly key: string;
  readonly random: Random;
  /** Model calls that the agent makes, retries included. */
  readonly calls: number;
  /** Returns the number of a new call. */
  readonly nextCall: () => number;
  /** Resolves when the server accepts calls. Absent: the server never stops. */
  readonly ready?: () => Promise<void>;
  readonly onAttempt: (attempt: Attempt) => void;
}

/** An agent with one session: it talks, branches, starts over, leaves in the middle of answers, and retries. */
export class Agent {
  readonly #options: AgentOptions;
  readonly #places: Place[] = [];
  readonly #fences: Promise<void>[] = [];
  readonly #dialect: Dialect;
  readonly #sendsKeys: boolean;
  #left: number;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#dialect = options.random.pick(DIALECTS);
    this.#sendsKeys = options.random.chance(0.5);
    this.#left = options.calls;
  }

  /** Resolves when all calls are over. Returns the id of the last answer; undefined if there is none. */
  async run(): Promise<string | undefined> {
    const { random } = this.#options;
    while (this.#left > 0) {
      const siblings = random.chance(0.15) ? random.integer(2, 3) : 1;
      const from = this.#choosePlace();
      await Promise.all(Array.from({ length: siblings }, () => this.#converse(from)));
    }
    await Promise.all(this.#fences);
    return this.#places.at(-1)?.id;
  }

  /** Chooses what to continue: mostly the newest answer, sometimes an earlier one or nothing. */
  #choosePlace(): Place {
    const { random } = this.#options;
    const [first, ...rest] = this.#places;
    if (!first || random.chance(0.06)) return { id: undefined, messages: [] };
    return random.chance(0.2) ? random.pick([first, ...rest]) : (rest.at(-1) ?? first);
  }

  /** Makes one call, with retries as an SDK makes them. */
  async #converse(from: Place): Promise<void> {
    const { random, nextCall } = this.#options;
    const seed = nextCall();
    const messages: Message[] = [
      ...from.messages,
      { role: "user", content: randomText(random.integer(20, 200), seed) },
    ];
    const stored = this.#dialect.api === "responses" && from.id !== undefined && random.chance(0.3);
    const request: CallRequest = {
      messages,
      seed,
      maxTokens: random.chance(0.1) ? random.integer(1, 12) : 4096,
      stream: random.chance(0.5),
      previousId: stored ? from.id : undefined,
    };
    for (let attempt = 0; attempt <= MAX_RETRIES && this.#left > 0; attempt++) {
      this.#left--;
      const outcome = await this.#attempt(request, attempt, from.id);
      if (outcome.kind === "answered") {
        this.#places.push({ id: outcome.id, messages: [...messages, { role: "assistant", content: outcome.text }] });
      }
      if (!isRetried(outcome)) return;
    }
  }

  async #attempt(request: CallRequest, attempt: number, parent: string | undefined): Promise<Outcome> {
    const { pool, key, session, random, onAttempt } = this.#options;
    await this.#options.ready?.();
    const beganAt = performance.now();
    const headers: Record<string, string> = { "x-stainless-retry-count": String(attempt) };
    if (this.#sendsKeys) headers["idempotency-key"] = `stainless-node-retry-${request.seed}`;
    const dialect = this.#dialect;
    const outcome = await send({ pool, key, dialect, request, leaving: drawLeaving(random), headers });
    const made: Attempt = {
      session,
      call: request.seed,
      attempt,
      api: dialect.api,
      streamed: request.stream,
      keyed: this.#sendsKeys,
      parent,
      outcome,
      beganAt,
      endedAt: performance.now(),
      knownAt: undefined,
    };
    if (outcome.kind === "left") {
      const fence = this.#fence(made);
      // If the run fails meanwhile, its own error is reported, not that of the fence.
      fence.catch(() => undefined);
      this.#fences.push(fence);
    }
    onAttempt(made);
    return outcome;
  }

  /** Records the time from which the server is sure to know that the agent left. */
  async #fence(attempt: Attempt): Promise<void> {
    const { pool, key, ready } = this.#options;
    const headers = { authorization: `Bearer ${key}` };
    const beganAt = performance.now();
    try {
      for (let i = 0; i < FENCE; i++) {
        const reply = await pool.request({ path: "/v1/models", method: "GET", headers });
        await reply.body.dump();
      }
    } catch (error) {
      // A server that was killed, or that reset a connection because this process stood still, did not answer all of the fence.
      if (ready || ownPauses.happenedSince(beganAt)) return;
      throw error;
    }
    attempt.knownAt = performance.now();
  }
}

/** An SDK retries after a time-out, which closes the connection, and after errors of the server. */
function isRetried(outcome: Outcome): boolean {
  return (
    outcome.kind === "left" ||
    outcome.kind === "lost" ||
    /^(409|5\d\d) /.test(outcome.kind === "failed" ? outcome.code : "")
  );
}
