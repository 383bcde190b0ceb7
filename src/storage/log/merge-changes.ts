import type { Change } from "../changes.js";
import { unpackChanges } from "../packed-changes.js";
import { asBuffer } from "../prefix-range.js";
import type { LogRecord } from "./log-record.js";

/** Returns only the last change of each key. That saves writes: each call of a session changes the session's head, for example. */
export function mergeChanges(records: Iterable<Pick<LogRecord, "changes">>): Change[] {
  const last = new Map<string, Change>();
  for (const { changes } of records) {
    for (const change of unpackChanges(changes)) last.set(identify(change), change);
  }
  return [...last.values()];
}

function identify({ table, key }: Change): string {
  return `${table} ${asBuffer(key).toString("latin1")}`;
}
