import { expect, it } from "vitest";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { PendingSessions } from "../../../src/session/stored/pending-sessions.js";

const head = (number: number) => ({ table: "sessions", key: sessionKey(number), value: Buffer.of(1) }) as const;
const record = (number: number) =>
  ({ table: "records", key: recordKey(number, "interaction", 0), value: Buffer.of(1) }) as const;
const value = { table: "meta", key: Buffer.from("registry"), value: Buffer.of(1) } as const;

it("lists the sessions of the groups that are still pending", () => {
  const sessions = new PendingSessions();
  sessions.written([head(1)], 0, 1);
  sessions.written([record(2), value], 1, 2);
  sessions.written([head(3)], 2, 2);
  expect(sessions.list(2)).toEqual([1, 2, 3]);
  expect(sessions.list(1)).toEqual([2, 3]);
  expect(sessions.list(0)).toEqual([]);
});

it("forgets stored groups at the next write", () => {
  const sessions = new PendingSessions();
  sessions.written([head(1)], 0, 1);
  sessions.written([head(2)], 0, 1);
  expect(sessions.list(1)).toEqual([2]);
});
