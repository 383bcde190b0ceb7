import { indexOf, kindOf, NUMBER_BYTES, RECORD_KEY_BYTES, requireKey, type Table } from "../changes.js";
import type { LogPosition } from "./log-position.js";

/** The places of one session. */
interface SessionPlaces {
  head: LogPosition;
  /** Places of its records, by kind and index. Zero: no record. */
  readonly records: LogPosition[][];
}

/** A key and its place. */
export interface IndexedKey {
  readonly key: Buffer;
  readonly place: LogPosition;
}

/** Finds the place of the newest value of each key. Takes 8 bytes of memory for each record of a session. */
export class KeyIndex {
  readonly #sessions = new Map<number, SessionPlaces>();
  /** Places of the other tables, by key as Latin-1. */
  readonly #others = { meta: new Map<string, LogPosition>(), leases: new Map<string, LogPosition>() };

  /** Returns the place of a key; 0 if it has no value. */
  get(table: Table, key: Buffer): LogPosition {
    if (table === "meta" || table === "leases") return this.#others[table].get(toText(key)) ?? 0;
    if (!isKeyOf(table, key)) return 0;
    const session = this.#sessions.get(key.readUIntBE(0, NUMBER_BYTES));
    if (table === "sessions") return session?.head ?? 0;
    return session?.records[kindOf(key)]?.[indexOf(key)] ?? 0;
  }

  /**
   * Changes the place of a key.
   *
   * @param place 0: the key no longer has a value
   * @returns the previous place
   * @throws RangeError if its table cannot have the key
   */
  set(table: Table, key: Buffer, place: LogPosition): LogPosition {
    if (table === "meta" || table === "leases") return replace(this.#others[table], toText(key), place);
    requireKey(table, key);
    const number = key.readUIntBE(0, NUMBER_BYTES);
    const before = this.get(table, key);
    if (before === 0 && place === 0) return 0;
    const session = this.#sessions.get(number) ?? this.#add(number);
    if (table === "sessions") session.head = place;
    else setRecord(session, kindOf(key), indexOf(key), place);
    if (session.head === 0 && session.records.length === 0) this.#sessions.delete(number);
    return before;
  }

  /** Returns the keys that begin with `prefix`, in ascending order. */
  *keys(table: Table, prefix: Buffer): Generator<IndexedKey> {
    if (table === "meta" || table === "leases") {
      const start = toText(prefix);
      const found = [...this.#others[table]].filter(([key]) => key.startsWith(start));
      for (const [key, place] of found.sort(([a], [b]) => (a < b ? -1 : 1))) {
        yield { key: Buffer.from(key, "latin1"), place };
      }
      return;
    }
    for (const number of this.#listSessions(prefix)) {
      for (const found of this.#keysOf(table, number)) {
        if (found.key.subarray(0, prefix.length).equals(prefix)) yield found;
      }
    }
  }

  #add(number: number): SessionPlaces {
    const session = { head: 0, records: [] };
    this.#sessions.set(number, session);
    return session;
  }

  /** Returns the numbers of the sessions whose keys can begin with `prefix`. */
  #listSessions(prefix: Buffer): number[] {
    if (prefix.length >= NUMBER_BYTES) return [prefix.readUIntBE(0, NUMBER_BYTES)];
    return [...this.#sessions.keys()].sort((a, b) => a - b);
  }

  *#keysOf(table: Table, number: number): Generator<IndexedKey> {
    const session = this.#sessions.get(number);
    if (!session) return;
    const key = (bytes: number) => {
      const start = Buffer.alloc(bytes);
      start.writeUIntBE(number, 0, NUMBER_BYTES);
      return start;
    };
    if (table === "sessions") {
      if (session.head !== 0) yield { key: key(NUMBER_BYTES), place: session.head };
      return;
    }
    for (const [kind, places] of session.records.entries()) {
      for (const [index, place] of (places ?? []).entries()) {
        if (place === 0) continue;
        const record = key(RECORD_KEY_BYTES);
        record.writeUInt8(kind, NUMBER_BYTES);
        record.writeUInt32BE(index, NUMBER_BYTES + 1);
        yield { key: record, place };
      }
    }
  }
}

const toText = (key: Buffer): string => key.toString("latin1");

function isKeyOf(table: "sessions" | "records", key: Buffer): boolean {
  return key.length === (table === "sessions" ? NUMBER_BYTES : RECORD_KEY_BYTES);
}

function replace(places: Map<string, LogPosition>, key: string, place: LogPosition): LogPosition {
  const before = places.get(key) ?? 0;
  if (place === 0) places.delete(key);
  else places.set(key, place);
  return before;
}

function setRecord({ records }: SessionPlaces, kind: number, index: number, place: LogPosition): void {
  while (records.length <= kind) records.push([]);
  const places = records[kind] as LogPosition[];
  while (places.length <= index) places.push(0);
  places[index] = place;
  while (places.at(-1) === 0) places.pop();
  while (records.at(-1)?.length === 0) records.pop();
}
