import type { Change } from "../changes.js";
import type { LogRecord } from "./log-record.js";
/** Returns only the last change of each key. That saves writes: each call of a session changes the session's head, for example. */
export declare function mergeChanges(records: Iterable<Pick<LogRecord, "changes">>): Change[];
