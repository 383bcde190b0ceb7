import type { Tool } from "../conversation/message.js";
import { stringifySpelled } from "../support/json/spelled.js";
import type { ByteTally } from "./session-size.js";
import { SharedPool } from "./shared-pool.js";

/** A list of tools as a request declares it. */
export interface ToolList {
  /** Digest of the list; see {@link Interaction.toolsKey}. */
  readonly key: string;
  /** JSON with the spelling of the request. */
  readonly text: string;
}

/** The tools of all sessions of a process, by {@link ToolList.key}. */
export class ToolLists extends SharedPool<ToolList> {
  constructor(tally?: ByteTally) {
    super(({ text }) => Buffer.byteLength(text), tally);
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
    const list = this.#lists.acquire(key, () => ({ key, text: stringifySpelled(tools) }));
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
