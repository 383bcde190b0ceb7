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
    // A copy of these entries must not be changed by segments that cannot be applied, nor have a damaged state.
    const stored = state ? storeLogState({ log: state.log, applied: newest }) : NO_LOG_STATE;
    for (const change of [...changes, stored]) this.#add(change);
    for (const keys of this.#tables.values()) keys.sort((a, b) => a.key.compare(b.key));
  }

  /** @param entries of the data file in this range, in ascending order of keys */
  *merge(table: Table, { from, to }: KeyRange, entries: Iterable<Entry>): Generator<Entry> {
    const overlaid = this.#tables.get(table) ?? [];
    let next = from ? countBefore(overlaid, from) : 0;
    const end = to ? countBefore(overlaid, to) : overlaid.length;
    for (const entry of entries) {
      for (let each = overlaid[next]; each && next < end && each.key.compare(entry.key) < 0; each = overlaid[++next]) {
        if (each.value) yield { key: each.key, value: each.value };
      }
      const same = next < end ? overlaid[next] : undefined;
      if (same?.key.equals(entry.key) !== true) yield entry;
    }
    for (const { key, value } of overlaid.slice(next, end)) if (value) yield { key, value };
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
