import type { Tool } from "../conversation/message.js";
import { stringifySpelled } from "../support/json/spelled.js";
import type { ByteTally } from "./session-size.js";

/** A list of tools as a request declares it. */
export interface ToolList {
  /** Digest of the list; see {@link Interaction.toolsKey}. */
  readonly key: string;
  /** JSON with the spelling of the request. */
  readonly text: string;
}

/**
 * The tools of all sessions of a process. Sessions with the same tools share one text, which is freed with the last session that uses it.
 * It counts in the memory of all sessions together.
 */
export class ToolLists {
  readonly #tally: ByteTally;
  readonly #lists = new Map<string, { readonly list: ToolList; readonly bytes: number; users: number }>();

  constructor(tally: ByteTally = { bytes: 0 }) {
    this.#tally = tally;
  }

  /** Number of different lists. */
  get size(): number {
    return this.#lists.size;
  }

  /**
   * Adds a user of a list.
   *
   * @param write returns the text of the list; called only for a list that no session uses
   */
  acquire(key: string, write: () => string): ToolList {
    let known = this.#lists.get(key);
    if (!known) {
      const list = { key, text: write() };
      known = { list, bytes: Buffer.byteLength(list.text), users: 0 };
      this.#lists.set(key, known);
      this.#tally.bytes += known.bytes;
    }
    known.users++;
    return known.list;
  }

  /** Removes a user of a list. */
  release(key: string): void {
    const known = this.#lists.get(key);
    if (!known || --known.users > 0) return;
    this.#lists.delete(key);
    this.#tally.bytes -= known.bytes;
  }

  get(key: string): ToolList | undefined {
    return this.#lists.get(key)?.list;
  }
}

/** The tools of one session's calls. Those of calls that were read back from disk are not in memory. */
export class SessionTools {
  readonly #lists: ToolLists;
  readonly #readStored: (key: string) => string | undefined;
  /** Lists that this session keeps in memory. */
  readonly #held = new Set<string>();

  /** @param readStored returns the JSON of a list that is on disk */
  constructor(lists: ToolLists, readStored: (key: string) => string | undefined) {
    this.#lists = lists;
    this.#readStored = readStored;
  }

  /** Keeps the tools of a call. Returns them if this is the first call with them since the session is in memory. */
  add(key: string, tools: readonly Tool[]): ToolList | undefined {
    if (key === "" || this.#held.has(key)) return undefined;
    const list = this.#lists.acquire(key, () => stringifySpelled(tools));
    this.#held.add(key);
    return list;
  }

  /** Returns the JSON of a list; undefined if it was not recorded. */
  read(key: string): string | undefined {
    return this.#lists.get(key)?.text ?? this.#readStored(key);
  }

  /** Frees the lists that no other session uses. */
  clear(): void {
    for (const key of this.#held) this.#lists.release(key);
    this.#held.clear();
  }
}
