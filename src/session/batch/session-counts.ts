import type { Session } from "../session.js";

/** What the metadata of a batch says of its sessions, as they were when each of them was planned. */
export class SessionCounts {
  readonly rewardsMissing: string[] = [];
  readonly #incompleteCalls: [id: string, count: number][] = [];
  readonly #abortedCalls: [id: string, count: number][] = [];

  add({ id, rewardsMissing, incompleteCalls, abortedCalls }: Session): void {
    if (rewardsMissing) this.rewardsMissing.push(id);
    if (incompleteCalls > 0) this.#incompleteCalls.push([id, incompleteCalls]);
    if (abortedCalls > 0) this.#abortedCalls.push([id, abortedCalls]);
  }

  /** By session id, without sessions that have none. */
  get incompleteCalls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#incompleteCalls);
  }

  /** By session id, without sessions that have none. */
  get abortedCalls(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#abortedCalls);
  }
}
