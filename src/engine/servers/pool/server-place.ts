import type { AbortSource } from "../../../support/async/abort-source.js";
import { AbortSwitch } from "../../../support/async/abort-switch.js";
import type { Deadline } from "../../../support/async/deadline.js";
import { onAbort } from "../../../support/async/on-abort.js";
import { EngineError } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable, NotStartedError } from "../wire/errors.js";
import type { PoolMember, PoolRequest } from "./pool-member.js";

/** A request's place on one server. Dispose of it when the request ends. */
export class ServerPlace implements PoolRequest, Disposable {
  readonly #member: PoolMember;
  readonly #ending = new AbortSwitch();
  readonly #listening: Disposable;
  #hasPlace = false;
  #isCut = false;

  private constructor(member: PoolMember, deadline: Deadline) {
    this.#member = member;
    this.#listening = onAbort(deadline, () => this.#ending.abort(deadline.reason));
    member.enter(this);
  }

  /**
   * Waits for a place on the server. Sessions take turns.
   *
   * @returns undefined if the server is drained or goes down meanwhile. Route the request again then.
   * @throws the deadline's reason if it aborts first
   * @throws EngineError if the engine is closed
   */
  static async acquire(member: PoolMember, session: string, deadline: Deadline): Promise<ServerPlace | undefined> {
    deadline.throwIfAborted();
    const { places } = member;
    const place = new ServerPlace(member, deadline);
    try {
      // Takes a free place synchronously, so that a drain that starts now waits for the request.
      place.#hasPlace = places.tryTake() || (await places.wait(session, deadline));
    } catch (error) {
      place[Symbol.dispose]();
      throw error;
    }
    // A drain may have begun after the place was given.
    if (place.#hasPlace && !member.draining) return place;
    place[Symbol.dispose]();
    return undefined;
  }

  get server(): EngineServer {
    return this.#member.server;
  }

  /** Ends the request: aborts with the deadline, or if the request is cut. */
  get signal(): AbortSource {
    return this.#ending;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  cut(): void {
    this.#isCut = !this.#ending.aborted;
    this.#ending.abort(new EngineError("engine_unavailable", "The server of the generation stays paused."));
  }

  /** Notes that the server has sent a part of the reply. */
  noteProgress(): void {
    this.#member.noteProgress();
  }

  /** Counts the request as completed. */
  complete(): void {
    this.#member.tally.addCompleted();
    this.#member.monitor.reportSuccess();
  }

  /** Counts the failure and reports to the monitor what it shows about the server. */
  fail(error: unknown, signal: AbortSource): void {
    const { tally, monitor } = this.#member;
    if (signal.aborted) tally.addAborted();
    else if (this.#isCut) tally.addCompleted();
    else tally.addFailed(error);
    if (error instanceof NotStartedError && isUnavailable(error)) monitor.reportFailure();
    else if (error instanceof EngineError && !isUnavailable(error)) monitor.reportReached();
  }

  [Symbol.dispose](): void {
    if (this.#hasPlace) this.#member.places.giveBack();
    this.#listening[Symbol.dispose]();
    this.#member.leave(this);
  }
}
