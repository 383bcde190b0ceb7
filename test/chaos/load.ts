import type { Dispatcher } from "undici";
import { Random } from "../helpers/random.js";
import { Agent } from "../soak/agents/agent.js";
import type { Attempt, Outcome } from "../soak/agents/attempt.js";
import type { ControlRequests } from "./clients/control-requests.js";
import type { Exports } from "./clients/exports.js";
import type { KnownSession, Ledger } from "./clients/ledger.js";
import type { Gate } from "./processes/gate.js";

export interface LoadOptions {
  readonly pool: Dispatcher;
  readonly gate: Gate;
  readonly controlRequests: ControlRequests;
  readonly exports: Exports;
  readonly ledger: Ledger;
  readonly seed: number;
  /** Sessions at the same time. */
  readonly concurrency: number;
  readonly onAttempt: (attempt: Attempt) => void;
}

/** Agents with sessions that start one after the other until the load is stopped. */
export class Load {
  readonly #options: LoadOptions;
  readonly #over: Promise<void>;
  #isStopped = false;
  #sessions = 0;
  #calls = 0;
  #inFlight = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    const workers = Array.from({ length: options.concurrency }, () => this.#work());
    this.#over = Promise.all(workers).then(() => options.exports.finish());
    this.#over.catch(() => undefined);
  }

  get sessions(): number {
    return this.#sessions;
  }

  /** Model calls that have no answer yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Rejects if the load failed. Never resolves before {@link stop}. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Starts no more sessions. Resolves when all sessions are over and exported. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#over;
  }

  async #work(): Promise<void> {
    while (!this.#isStopped) await this.#runSession(this.#sessions++);
  }

  async #runSession(index: number): Promise<void> {
    const { pool, gate, controlRequests, exports, ledger, seed, onAttempt } = this.#options;
    const random = new Random(seed, 3, index);
    const session = await controlRequests.startSession(`chaos-${index}`);
    const agent = new Agent({
      pool,
      session: session.id,
      key: session.key,
      random,
      calls: random.integer(1, 24),
      nextCall: () => ++this.#calls,
      ready: async () => {
        await gate.wait();
        this.#inFlight++;
      },
      onAttempt: (attempt) => {
        this.#inFlight--;
        if (isCutBehindGateway(attempt.outcome)) {
          attempt.outcome = { kind: "lost", reason: attempt.outcome.code, received: "" };
        }
        ledger.addAttempt(session, attempt);
        onAttempt(attempt);
      },
    });
    await agent.run();
    await this.#setRewards(session, random);
    await controlRequests.endSession(session);
    exports.add(session);
  }

  /** Rewards some answers, and changes some of the rewards. */
  async #setRewards(session: KnownSession, random: Random): Promise<void> {
    const { controlRequests } = this.#options;
    const answers = session.attempts.flatMap(({ outcome }) => (outcome.kind === "answered" ? [outcome.id] : []));
    for (const id of answers) {
      while (random.chance(0.3)) await controlRequests.setReward(session, id, random.integer(-1024, 1024) / 1024);
    }
  }
}

/** A gateway answers a call whose server was killed. */
function isCutBehindGateway(outcome: Outcome): outcome is Extract<Outcome, { kind: "failed" }> {
  return outcome.kind === "failed" && outcome.code.endsWith(" worker_unavailable");
}
