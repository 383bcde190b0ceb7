import type { AdminClient } from "../client/admin-client.js";

/** An active session whose agent has ended, because its process or its proxy crashed. */
export interface CutSession {
  readonly sessionId: string;
  /** Lease with which the episode ran. If the session has another lease by now, it is not taken over. */
  readonly leaseId: string | undefined;
}

/**
 * The sessions of one task whose episodes were cut. Each episode of the task that runs next takes one over, the oldest first.
 */
export class CutSessions {
  readonly #lostLeases: readonly string[];
  #sessions: CutSession[] = [];
  #listing: Promise<void> | undefined;

  /** @param lostLeases leases of earlier attempts. The proxy lists their sessions */
  constructor(lostLeases: readonly string[] = []) {
    this.#lostLeases = lostLeases;
  }

  add(session: CutSession): void {
    this.#sessions.push(session);
  }

  /** Returns true if the session waits here to be taken over. */
  has(sessionId: string | undefined): boolean {
    return this.#sessions.some((session) => session.sessionId === sessionId);
  }

  /**
   * Removes and returns a session; undefined if there is none.
   *
   * @throws ProxyError if the proxy cannot list the sessions of the lost leases. The next call asks it again
   */
  async take(admin: AdminClient): Promise<CutSession | undefined> {
    this.#listing ??= this.#list(admin);
    try {
      await this.#listing;
    } catch (error) {
      this.#listing = undefined;
      throw error;
    }
    return this.#sessions.shift();
  }

  async #list(admin: AdminClient): Promise<void> {
    const lists = this.#lostLeases.map(async (leaseId) =>
      (await admin.activeSessions(leaseId)).map((sessionId) => ({ sessionId, leaseId })),
    );
    this.#sessions = [...(await Promise.all(lists)).flat(), ...this.#sessions];
  }
}
