import { expect, test } from "vitest";
import type { SessionSummary } from "../../../src/session/session-summary.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import type { Change, Storage } from "../../../src/storage/index.js";

const SUMMARY: SessionSummary = {
  id: "task-0",
  taskId: "task",
  createdAt: 0,
  state: "expired",
  freed: true,
  held: false,
  acknowledged: false,
  interactionCount: 2,
  countAtEnd: 0,
  incompleteCalls: 0,
  abortedCalls: 0,
  upstreamCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  storedTokens: 0,
  rewards: 0,
};

test("a freed session loses its records in the same commit in which its head says so", async () => {
  const commits: (readonly Change[])[] = [];
  const storage: Pick<Storage, "write"> = { write: (changes) => commits.push(changes) };
  const records = new SessionRecords(storage as Storage);
  const journal = records.journal(0, () => ({ summary: SUMMARY }));
  journal.summaryChanged();
  journal.freed(2);
  await Promise.resolve();
  const written = commits.flat();
  expect(commits.filter((changes) => changes.length > 0)).toHaveLength(1);
  expect(written).toContainEqual({ table: "sessions", key: sessionKey(0), value: expect.any(Buffer) });
  expect(written).toContainEqual({ table: "records", key: recordKey(0, "interaction", 1), value: undefined });
});

/** Records of a storage that only counts its writes, and the journal of a session. */
function openRecords() {
  const writes: (readonly Change[])[] = [];
  const storage: Pick<Storage, "write"> = { write: (changes) => writes.push(changes) };
  const records = new SessionRecords(storage as Storage);
  return { records, writes, journal: records.journal(0, () => ({ summary: SUMMARY })) };
}

const ANSWERED = { reward: undefined, answered: true, repeatedBy: undefined, referenced: false };

test("a single mark that an answer was sent is written in the same event turn", async () => {
  const { writes, journal } = openRecords();
  journal.outcomeChanged(0, ANSWERED);
  await Promise.resolve();
  expect(writes.flat().map(({ key }) => key)).toEqual([recordKey(0, "outcome", 0)]);
});

test("of a thousand marks, few are written alone, and the others with the next write", async () => {
  const { records, writes, journal } = openRecords();
  for (let index = 0; index < 1000; index++) {
    journal.outcomeChanged(index, ANSWERED);
    await Promise.resolve();
  }
  expect(writes.length).toBeLessThan(100);
  records.saveValue("capacity", 1);
  expect(writes.flat().filter(({ table }) => table === "records")).toHaveLength(1000);
  expect(writes.flat().at(-1)?.table).toBe("meta");
});

test("marks that no write follows are written by themselves after a moment", async () => {
  const { writes, journal } = openRecords();
  for (let index = 0; index < 1000; index++) {
    journal.outcomeChanged(index, ANSWERED);
    await Promise.resolve();
  }
  await expect.poll(() => writes.flat()).toHaveLength(1000);
});

test("a reward is written together with the head that counts it", async () => {
  const { writes, journal } = openRecords();
  journal.outcomeChanged(0, { ...ANSWERED, reward: 1 });
  journal.summaryChanged();
  await Promise.resolve();
  const [first] = writes.filter((changes) => changes.length > 0);
  expect(first?.map(({ table }) => table)).toEqual(["records", "sessions"]);
});

test("an answer waits for the changes of its own session only", async () => {
  let durable = 0;
  let groups = 0;
  const waits: (number | undefined)[] = [];
  const storage: Pick<Storage, "write" | "durable" | "flushed"> = {
    write: () => ++groups,
    get durable() {
      return durable;
    },
    flushed: async (group) => void waits.push(group),
  };
  const records = new SessionRecords(storage as Storage);
  const [own, other] = [0, 1].map((number) => records.journal(number, () => ({ summary: SUMMARY })));
  own?.summaryChanged();
  await records.flushed(0);
  other?.summaryChanged();
  await records.flushed(0);
  await records.flushed();
  durable = 1;
  other?.summaryChanged();
  await records.flushed(0);
  expect(waits).toEqual([1, 1, undefined, 0]);
});
