import type { Change } from "../../storage/index.js";
import { readSessionKey } from "./keys.js";

/** Knows which sessions have changes that are not on disk, so that a server that stops can name those that it loses. */
export class PendingSessions {
  /** The numbers of the sessions of each group of changes that the storage has queued, oldest first. */
  #groups: Set<number>[] = [];

  /**
   * Call it after each write.
   *
   * @param before the number of pending groups before the write. Changes of one event turn share a group
   * @param after the number after it
   */
  written(changes: readonly Change[], before: number, after: number): void {
    const last = after > before ? undefined : this.#groups.at(-1);
    const group = last ?? new Set();
    if (!last) this.#groups.push(group);
    for (const { table, key } of changes) {
      if (table === "sessions" || table === "records")
        group.add(readSessionKey(Buffer.from(key.buffer, key.byteOffset, key.byteLength)));
    }
    this.#dropStored(after);
  }

  /**
   * Returns the numbers of the sessions with changes that are not on disk.
   *
   * @param pending number of pending groups
   */
  list(pending: number): number[] {
    this.#dropStored(pending);
    return [...new Set(this.#groups.flatMap((group) => [...group]))];
  }

  #dropStored(pending: number): void {
    const stored = this.#groups.length - pending;
    if (stored > 0) this.#groups = this.#groups.slice(stored);
  }
}
