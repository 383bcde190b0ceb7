import { EngineError } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { isUnavailable, NotStartedError } from "../wire/errors.js";
import type { PoolMember } from "./pool-member.js";

/** A request's place on one server, with one of its connections. Dispose of it when the request ends. */
export class ServerLease implements Disposable {
  readonly #member: PoolMember;
  #connection: Disposable | undefined;

  private constructor(member: PoolMember) {
    this.#member = member;
    member.enter();
  }

  /**
   * Waits for a connection to the server.
   *
   * @throws NotStartedError if the server is drained meanwhile; the signal's reason if the signal aborts first
   */
  static async acquire(member: PoolMember, signal: AbortSignal): Promise<ServerLease> {
    const lease = new ServerLease(member);
    try {
      signal.throwIfAborted();
      // Takes a free connection synchronously, so that a drain that starts now waits for the request.
      lease.#connection = member.connections.tryAcquire();
      if (lease.#connection) return lease;
      lease.#connection = await member.connections.acquire(signal);
      if (member.draining) throw new NotStartedError("engine_error", "The engine server is being drained.");
      return lease;
    } catch (error) {
      lease[Symbol.dispose]();
      throw error;
    }
  }

  get server(): EngineServer {
    return this.#member.server;
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
  fail(error: unknown, signal: AbortSignal): void {
    const { tally, monitor } = this.#member;
    if (signal.aborted) tally.addAborted();
    else tally.addFailed(error);
    if (error instanceof NotStartedError && isUnavailable(error)) monitor.reportFailure();
    else if (error instanceof EngineError && !isUnavailable(error)) monitor.reportReached();
  }

  [Symbol.dispose](): void {
    this.#connection?.[Symbol.dispose]();
    this.#member.leave();
  }
}
