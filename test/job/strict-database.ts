import { expect, onTestFinished } from "vitest";
import type { JobDatabase, RunStatement } from "../../src/job/database.js";
import { SqliteDatabase } from "../../src/job/sqlite.js";

/**
 * A database in memory that answers each statement in a later turn of the event loop, as one over a network does, and rows that have no
 * order in the opposite one. The test fails if a statement is sent before the one before it is answered, or after its transaction.
 */
export function strictDatabase(): JobDatabase {
  const memory = new SqliteDatabase();
  const faults: string[] = [];
  onTestFinished(() => expect(faults).toEqual([]));
  const transaction: JobDatabase["transaction"] = (work, committed) =>
    memory.transaction(async (query) => {
      let sent = 0;
      const send: RunStatement = async (text, ...values) => {
        if (sent++ > 0) faults.push(`sent too soon: ${text}`);
        await new Promise((resolve) => setImmediate(resolve));
        try {
          const rows = await query(text, ...values);
          return (text.includes(" returning ") ? rows.toReversed() : rows) as never;
        } finally {
          sent--;
        }
      };
      const result = await work(send);
      if (sent > 0) faults.push("a statement was not waited for");
      return result;
    }, committed);
  return { transaction, [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose]() };
}
