import { expect, onTestFinished, test, vi } from "vitest";
import type { SessionSummary } from "../../../src/session/session-summary.js";
import type { StoredInteraction } from "../../../src/session/stored/interaction-record.js";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { nameRecord } from "../../../src/session/stored/read-session.js";
import { sealJson, sealText } from "../../../src/session/stored/sealed-json.js";
import { isHeld, SessionRecords, type StoredLease } from "../../../src/session/stored/session-records.js";
import { type Change, DamagedValueError, type Storage } from "../../../src/storage/index.js";
import { runAtOnce } from "../../../src/support/async/steps.js";

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
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { records, writes, journal } = openRecords();
  for (let index = 0; index < 1000; index++) {
    journal.outcomeChanged(index, ANSWERED);
    await Promise.resolve();
  }
  expect([writes.length < 100, vi.getTimerCount()]).toEqual([true, 1]);
  records.saveValue("capacity", 1);
  expect(writes.flat().filter(({ table }) => table === "records")).toHaveLength(1000);
  expect([writes.flat().at(-1)?.table, vi.getTimerCount()]).toEqual(["meta", 0]);
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

/** Records of a storage that has these entries, or that throws when a table is read. */
function recordsOf(entries: readonly { table: Change["table"]; key: Buffer; value: Buffer }[], error?: Error) {
  const check = () => {
    if (error) throw error;
  };
  const storage = {
    directory: "/folder",
    get: (table: string, key: Buffer) => {
      check();
      return entries.find((entry) => entry.table === table && entry.key.equals(key))?.value;
    },
    *range(table: string) {
      check();
      yield* entries.filter((entry) => entry.table === table);
    },
  };
  return new SessionRecords(storage as unknown as Storage);
}

const LEASE: StoredLease = {
  sessions: [1],
  part: { shards: 1, shard: 0 },
  expiresAt: 5,
  readerPid: 7,
  acknowledged: false,
  over: false,
};

test("values, heads and leases are read as they were written", () => {
  const head = { summary: SUMMARY, keyHash: "hash" };
  const records = recordsOf([
    { table: "meta", key: Buffer.from("capacity"), value: sealJson({ free: 1 }) },
    { table: "sessions", key: sessionKey(3), value: sealJson(head) },
    { table: "leases", key: Buffer.from("batch-1"), value: sealJson(LEASE) },
  ]);
  expect([records.readValue("capacity"), records.readValue("other")]).toEqual([{ free: 1 }, undefined]);
  expect([...records.readHeads()]).toEqual([{ number: 3, head }]);
  expect([...records.readLeases()]).toEqual([["batch-1", LEASE]]);
});

test("a lease holds its sessions until it is acknowledged or over", () => {
  const leases = [LEASE, { ...LEASE, acknowledged: true }, { ...LEASE, over: true }];
  expect(leases.map(isHeld)).toEqual([true, false, false]);
});

const damaged = Buffer.from("damaged");

test.each<[string, Change["table"], Buffer, (records: SessionRecords) => unknown]>([
  ["value capacity", "meta", Buffer.from("capacity"), (records) => records.readValue("capacity")],
  ["the head of the session whose id ends with -3", "sessions", sessionKey(3), (records) => [...records.readHeads()]],
  ["export batch-1", "leases", Buffer.from("batch-1"), (records) => [...records.readLeases()]],
])("a folder with damage is unusable, and the damage is named: %s", (name, table, key, read) => {
  const unusable = (reason: string) =>
    expect.objectContaining({
      code: "storage_unusable",
      message: expect.stringContaining(`${name}: ${reason}`) as string,
    }) as Error;
  expect(() => read(recordsOf([{ table, key, value: damaged }]))).toThrow(unusable("its checksum is wrong"));
  expect(() => read(recordsOf([], new DamagedValueError(key, "the log is damaged")))).toThrow(
    unusable("the log is damaged"),
  );
  expect(() => read(recordsOf([], new Error("for a test")))).toThrow("for a test");
});

test("a stored response is read, and damage of it names the session and the interaction", () => {
  const key = recordKey(0, "response", 2);
  const read = (records: SessionRecords) =>
    runAtOnce(records.journal(0, () => ({ summary: SUMMARY })).readResponse(2))?.toString();
  expect(read(recordsOf([{ table: "records", key, value: sealText("text") }]))).toBe("text");
  expect(read(recordsOf([]))).toBeUndefined();
  expect(() => read(recordsOf([{ table: "records", key, value: damaged }]))).toThrow(
    "Session task-0 is damaged: response 2: its checksum is wrong.",
  );
});

test("a long response is written in pieces, unless its session was freed meanwhile", async () => {
  const { writes, journal } = openRecords();
  expect(journal.saveResponse(0, "short", () => true)).toBeUndefined();
  await journal.saveResponse(1, ["lo", "ng"], () => true);
  await journal.saveResponse(2, ["lo", "st"], () => false);
  expect(writes.flat()).toEqual([
    { table: "records", key: recordKey(0, "response", 0), value: sealText("short") },
    { table: "records", key: recordKey(0, "response", 1), value: sealText("long") },
  ]);
});

test("the records of a session are written before the head that counts them", () => {
  const { writes, journal } = openRecords();
  const interaction: StoredInteraction = {
    native: new Uint8Array(1),
    facts: {} as StoredInteraction["facts"],
    messages: () => ({ input: { inherited: 0, respelled: new Map(), added: [] }, output: [] }),
    objectBytes: 0,
    images: undefined,
    templateArgs: undefined,
    request: undefined,
  };
  const image = { sha256: "0".repeat(64), bytes: Buffer.of(1) };
  journal.recorded(0, interaction, { newTools: { key: "k", text: "[]" }, newImages: [image] });
  journal.recorded(1, interaction, { newTools: undefined, newImages: [] });
  journal.channelsAdded([{ index: 1, bytes: Buffer.of(1) }]);
  const names = writes.map((changes) =>
    changes.map(({ table, key }) => (table === "records" ? nameRecord(Buffer.from(key)) : table)),
  );
  expect(names).toEqual([
    ["images 0", "interaction 0", "sessions", "meta", "meta"],
    ["interaction 1", "sessions"],
    ["channels 1"],
  ]);
});

test("a removed session and a removed lease are gone, and a head that waits is not written after that", async () => {
  const { records, writes, journal } = openRecords();
  journal.summaryChanged();
  records.remove(0);
  records.saveLease("batch-1", LEASE);
  records.removeLease("batch-1");
  await Promise.resolve();
  expect(writes.flat()).toEqual([
    { table: "sessions", key: sessionKey(0), value: undefined },
    { table: "leases", key: Buffer.from("batch-1"), value: sealJson(LEASE) },
    { table: "leases", key: Buffer.from("batch-1"), value: undefined },
  ]);
});
