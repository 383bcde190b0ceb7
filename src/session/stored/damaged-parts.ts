import type { Table } from "../../storage/index.js";
import { readSessionKey } from "./keys.js";

/** The parts of a damaged folder that a copy leaves out: whole sessions, and single entries that nothing depends on. */
export class DamagedParts {
  /** Numbers of the damaged sessions. */
  readonly sessions = new Set<number>();
  /** True if parts of the log are damaged or missing and it is unknown which values they had. */
  hasUnknown = false;
  readonly #entries = new Set<string>();

  addEntry(table: Table, key: Buffer): void {
    this.#entries.add(nameEntry(table, key));
  }

  isIntact(table: Table, key: Buffer): boolean {
    const isOfSession = table === "sessions" || table === "records";
    if (isOfSession && this.sessions.has(readSessionKey(key))) return false;
    return !this.#entries.has(nameEntry(table, key));
  }
}

function nameEntry(table: Table, key: Buffer): string {
  return `${table} ${key.toString("hex")}`;
}
