import type { Change, Storage } from "../../storage/index.js";
import type { ToolList } from "../tool-lists.js";
import { damagedRecordError } from "./read-session.js";
import { openText, sealJson, sealText } from "./sealed-json.js";

/**
 * The table `meta` has each list of tools once, as `tools/<digest>`, and for each session that uses it an entry
 * `tools/<digest>/<number of the session>`. These entries tell after a restart which lists are still needed.
 */
const PREFIX = "tools/";
const USED = sealJson(true);

/** Stores the tools of sessions, and removes a list with the last session that uses it. */
export class ToolRecords {
  readonly #storage: Pick<Storage, "get" | "keys">;
  /** Numbers of the sessions that use a list. */
  readonly #users = new Map<string, Set<number>>();
  readonly #listsOf = new Map<number, Set<string>>();

  constructor(storage: Pick<Storage, "get" | "keys">) {
    this.#storage = storage;
  }

  /** Returns the changes that store a list for a session; none if it has been stored for it. */
  add(number: number, { key, text }: ToolList): Change[] {
    if (this.#users.get(key)?.has(number)) return [];
    const isNew = !this.#users.has(key);
    this.#use(key, number);
    const use = { table: "meta", key: useKey(key, number), value: USED } as const;
    return isNew ? [{ table: "meta", key: listKey(key), value: sealText(text) }, use] : [use];
  }

  /** Returns the changes that remove the lists of a session that was freed. */
  remove(number: number): Change[] {
    const lists = this.#listsOf.get(number) ?? [];
    this.#listsOf.delete(number);
    return [...lists].flatMap((key) => {
      const users = this.#users.get(key);
      users?.delete(number);
      const removed = [useKey(key, number)];
      if (users?.size === 0) {
        this.#users.delete(key);
        removed.push(listKey(key));
      }
      return removed.map(removal);
    });
  }

  /**
   * Finds the lists of an earlier process. Returns the changes that remove those that nobody needs, because a damaged folder was copied
   * without their sessions.
   */
  restore(isNeeded: (number: number) => boolean): Change[] {
    const stored: string[] = [];
    const removed: Buffer[] = [];
    for (const entry of this.#storage.keys("meta", Buffer.from(PREFIX))) {
      const [key = "", number] = entry.toString().slice(PREFIX.length).split("/");
      if (number === undefined) stored.push(key);
      else if (isNeeded(Number(number))) this.#use(key, Number(number));
      else removed.push(entry);
    }
    const unused = stored.filter((key) => !this.#users.has(key));
    return [...removed, ...unused.map(listKey)].map(removal);
  }

  /**
   * Returns the JSON of a list; undefined if it was not stored.
   *
   * @param readId returns the id of the session that needs it
   * @throws DamagedSessionError if it is damaged
   */
  read(key: string, readId: () => string): string | undefined {
    try {
      return readToolList(this.#storage, key);
    } catch (error) {
      throw damagedRecordError(readId(), `the list of tools ${key}`, error);
    }
  }

  #use(key: string, number: number): void {
    addTo(this.#users, key, number);
    addTo(this.#listsOf, number, key);
  }
}

/** Returns the JSON of a list; undefined if it was not stored. */
export function readToolList(storage: Pick<Storage, "get">, key: string): string | undefined {
  const sealed = storage.get("meta", listKey(key));
  return sealed && openText(sealed);
}

const listKey = (key: string): Buffer => Buffer.from(PREFIX + key);
const useKey = (key: string, number: number): Buffer => Buffer.from(`${PREFIX}${key}/${number}`);
const removal = (key: Buffer): Change => ({ table: "meta", key, value: undefined });

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key);
  if (set) set.add(value);
  else sets.set(key, new Set([value]));
}
