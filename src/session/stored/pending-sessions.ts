import type { Change } from "../../storage/index.js";
import { readSessionKey } from "./keys.js";

/**
 * Knows which sessions have changes that are not on disk. So an answer waits only for changes of its own session, and a server that
 * stops can name the sessions whose changes are lost.
 */
export class PendingSessions {
  /** Number of the last group of changes of each session, by session number, in the order of the groups. */
  readonly #groups = new Map<number, number>();

  /**
   * Notes which sessions were written. Call it after each write.
   *
   * @param group the number that `Storage.write` returned
   * @param durable number of the last group on disk
   */
  written(changes: readonly Change[], group: number, durable: number): void {
    for (const { table, key } of changes) {
      if (table !== "sessions" && table !== "records") continue;
      const session = readSessionKey(Buffer.from(key.buffer, key.byteOffset, key.byteLength));
      this.#groups.delete(session);
      this.#groups.set(session, group);
    }
    this.#dropStored(durable);
  }

  /** Returns the number of the last group with changes of a session; undefined if they were on disk at the last write. */
  groupOf(session: number): number | undefined {
    return this.#groups.get(session);
  }

  /** Returns the numbers of the sessions with changes that are not on disk. */
  list(durable: number): number[] {
    this.#dropStored(durable);
    return [...this.#groups.keys()];
  }

  #dropStored(durable: number): void {
    for (const [session, group] of this.#groups) {
      if (group > durable) return;
      this.#groups.delete(session);
    }
  }
}
