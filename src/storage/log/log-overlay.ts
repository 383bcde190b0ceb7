import type { Change, Entry, Table } from "../changes.js";
import type { KeyRange } from "../pages/walk-tree.js";
import { asBuffer } from "../prefix-range.js";
import { NO_LOG_STATE, storeLogState } from "./log-state.js";
import { mergeChanges } from "./merge-changes.js";
import type { UnappliedLog } from "./read-log.js";

interface OverlaidKey {
  readonly key: Buffer;
  /** Undefined: removed. */
  readonly value: Buffer | undefined;
}

/** Shows the entries of a data file as they are once the log is applied. */
export class LogOverlay {
  /** Sorted by key. */
  readonly #tables = new Map<Table, OverlaidKey[]>();

  constructor({ state, segments, newest }: UnappliedLog) {
    const changes = mergeChanges(segments.flatMap(({ records }) => records));
    // A compaction copies these entries. The copy counts every segment as applied, also one with damage that it leaves out: otherwise
    // the next start would apply it. Its log is closed, because the compaction removes the files. A damaged state is not copied.
    const stored = state ? storeLogState({ log: state.log, applied: newest, isOpen: false }) : NO_LOG_STATE;
    for (const change of [...changes, stored]) this.#add(change);
    for (const keys of this.#tables.values()) keys.sort((a, b) => a.key.compare(b.key));
  }

  /** @param entries of the data file in this range, in ascending order of keys */
  *merge(table: Table, { from, to }: KeyRange, entries: Iterable<Entry>): Generator<Entry> {
    const keys = this.#tables.get(table) ?? [];
    const overlaid = keys.slice(from ? countBefore(keys, from) : 0, to ? countBefore(keys, to) : keys.length);
    let next = 0;
    for (const entry of entries) {
      for (let first = overlaid[next]; first && first.key.compare(entry.key) < 0; first = overlaid[++next]) {
        if (first.value) yield { key: first.key, value: first.value };
      }
      // An entry with the same key in the log is replaced: its new value follows, before the next entry.
      if (overlaid[next]?.key.equals(entry.key) !== true) yield entry;
    }
    for (const { key, value } of overlaid.slice(next)) if (value) yield { key, value };
  }

  #add({ table, key, value }: Change): void {
    const overlaid = { key: asBuffer(key), value: value && asBuffer(value) };
    const keys = this.#tables.get(table);
    if (keys) keys.push(overlaid);
    else this.#tables.set(table, [overlaid]);
  }
}

/** Returns the number of keys that come before `key`. */
function countBefore(overlaid: readonly OverlaidKey[], key: Buffer): number {
  let [low, high] = [0, overlaid.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = (overlaid[middle] as OverlaidKey).key.compare(key) < 0;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}
