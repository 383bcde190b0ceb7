import { expect, it } from "vitest";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { PendingSessions } from "../../../src/session/stored/pending-sessions.js";

const head = (number: number) => ({ table: "sessions", key: sessionKey(number), value: Buffer.of(1) }) as const;
const record = (number: number) =>
  ({ table: "records", key: recordKey(number, "interaction", 0), value: Buffer.of(1) }) as const;
const value = { table: "meta", key: Buffer.from("registry"), value: Buffer.of(1) } as const;

it("lists the sessions with changes that are not on disk", () => {
  const sessions = new PendingSessions();
  sessions.written([head(1)], 1, 0);
  sessions.written([record(2), value], 2, 0);
  sessions.written([head(3)], 2, 0);
  expect(sessions.list(0)).toEqual([1, 2, 3]);
  expect(sessions.list(1)).toEqual([2, 3]);
  expect(sessions.list(2)).toEqual([]);
});

it("knows the last group of each session, and forgets those on disk at the next write", () => {
  const sessions = new PendingSessions();
  sessions.written([head(1), record(2)], 1, 0);
  sessions.written([head(1)], 2, 0);
  expect([1, 2, 3].map((number) => sessions.groupOf(number))).toEqual([2, 1, undefined]);
  sessions.written([head(3)], 3, 1);
  expect([1, 2, 3].map((number) => sessions.groupOf(number))).toEqual([2, undefined, 3]);
});
