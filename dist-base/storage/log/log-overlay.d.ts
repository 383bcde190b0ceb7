import type { Entry, Table } from "../changes.js";
import type { KeyRange } from "../pages/walk-tree.js";
import type { UnappliedLog } from "./read-log.js";
/** Shows the entries of a data file as they are once the log is applied. */
export declare class LogOverlay {
    #private;
    constructor({ state, segments, newest }: UnappliedLog);
    /** @param entries of the data file in this range, in ascending order of keys */
    merge(table: Table, { from, to }: KeyRange, entries: Iterable<Entry>): Generator<Entry>;
}
