import type { Deadline } from "../../../support/async/deadline.js";
import { EngineError } from "../../engine.js";
import { NotStartedError } from "../wire/errors.js";
import type { PoolMember } from "./pool-member.js";
import { ServerPlace } from "./server-place.js";

/** The servers to which one request may go. Each server gets the request at most once. */
export class ServerRoute {
  readonly #session: string;
  readonly #order: () => readonly PoolMember[];
  /** The servers that got the request. */
  readonly #tried: PoolMember[] = [];
  #refusal: NotStartedError | undefined;
  /** The last server that did not begin with the request. */
  #refused: PoolMember | undefined;

  /** @param order returns the current servers of the session, best first */
  constructor(session: string, order: () => readonly PoolMember[]) {
    this.#session = session;
    this.#order = order;
  }

  /** The error if no server took the request. */
  get refusal(): EngineError {
    return this.#refusal ?? new EngineError("engine_unavailable", "Every engine server is being drained.");
  }

  /**
   * Returns a place on the best server that is not being drained and has not had the request; undefined if none is left. If that
   * server is drained or goes down while the request waits there, chooses the next one. Rejects with the deadline's reason if it
   * aborts first.
   */
  async next(deadline: Deadline): Promise<ServerPlace | undefined> {
    for (let member = this.#choose(); member; member = this.#choose()) {
      if (this.#refused !== member) this.#refused?.tally.addFailover();
      this.#refused = undefined;
      const place = await ServerPlace.acquire(member, this.#session, deadline);
      if (place) {
        this.#tried.push(member);
        return place;
      }
      this.#refused = member;
    }
    return undefined;
  }

  /**
   * Notes that the last server did not begin with the request, so the next one may get it.
   *
   * @throws the error if the request may have begun
   */
  refuse(error: unknown): void {
    if (!(error instanceof NotStartedError)) throw error;
    this.#refusal = chooseSooner(this.#refusal, error);
    this.#refused = this.#tried.at(-1);
  }

  #choose(): PoolMember | undefined {
    return this.#order().find((member) => !member.draining && !this.#tried.includes(member));
  }
}

/** Returns the refusal that allows a retry sooner. If both allow it at the same time, returns the later refusal. */
function chooseSooner(earlier: NotStartedError | undefined, later: NotStartedError): NotStartedError {
  const wait = (error?: NotStartedError): number => error?.retryAfterMilliseconds ?? Number.POSITIVE_INFINITY;
  return earlier && wait(earlier) < wait(later) ? earlier : later;
}
