import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import { readHeads } from "../../../src/session/stored/offline-sessions.js";
import type { StoredProblem } from "../../../src/session/stored/stored-problem.js";
import { type Verified, verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { type Change, type Storage, StorageReader } from "../../../src/storage/index.js";
import { crash, openStorage, record } from "../../storage/stored-folder.js";
import { changeStored, fillPages, flipBit, newFolder, recordBranches, startStored } from "./stored-sessions.js";

/** Each test starts several servers and threads. */
vi.setConfig({ testTimeout: 120_000 });

function verify(directory: string): { verified: Verified; problems: StoredProblem[] } {
  using storage = StorageReader.open(directory);
  const problems: StoredProblem[] = [];
  return { verified: verifySessions(storage, (problem) => problems.push(problem)), problems };
}

/** Leaves two sessions and a held export in a folder. */
async function leaveSessions(): Promise<string> {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const session = await recordBranches(proxy, "a");
  await recordBranches(proxy, "b");
  await proxy.end(session);
  await proxy.post("/export_batch", { session_ids: [session.id], acknowledge: true });
  await proxy.close();
  return directory;
}

test("finds each damaged record and names it", async () => {
  const directory = await leaveSessions();
  expect(verify(directory)).toMatchObject({
    verified: { sessions: 2, records: 12, heldExports: 1, damaged: { sessions: new Set() } },
    problems: [],
  });
  const [a, b] = readIds(directory);

  const damage: [(storage: Storage) => Change, Partial<StoredProblem>][] = [
    [
      (storage) => flipBit(storage, "sessions", sessionKey(1)),
      { what: "the head of the session whose id ends with -1", reason: "its checksum is wrong" },
    ],
    [
      (storage) => flipBit(storage, "records", recordKey(1, "outcome", 2)),
      { what: `outcome 2 of session ${b}`, reason: "its checksum is wrong" },
    ],
    [
      (storage) => flipEnd(storage, recordKey(0, "interaction", 1)),
      { what: `interaction 1 of session ${a}`, reason: "the checksum of its tokens is wrong", dependents: 1 },
    ],
    [
      () => ({ table: "records", key: recordKey(0, "interaction", 1), value: undefined }),
      { what: `interaction 1 of session ${a}`, reason: "missing", dependents: 1 },
    ],
    [
      () => ({ table: "records", key: recordKey(0, "interaction", 2), value: undefined }),
      { what: `outcome 2 of session ${a}`, reason: "interaction 2 does not exist" },
    ],
    [
      () => ({ table: "records", key: recordKey(0, "outcome", 1), value: undefined }),
      { what: `the data of session ${a}`, reason: "rewards of interactions: 1 instead of 2" },
    ],
    [
      () => ({ table: "records", key: recordKey(7, "outcome", 1), value: Buffer.of(1) }),
      { what: "the head of the session whose id ends with -7", reason: "it is missing, but the session has records" },
    ],
    [(storage) => flipBit(storage, "meta", Buffer.from("identity")), { what: "value identity" }],
    [
      (storage) => flipBit(storage, "leases", firstKey(storage)),
      { what: expect.stringMatching(/^export \S+$/), reason: "its checksum is wrong" },
    ],
  ];
  for (const [change, problem] of damage) {
    const damaged = crash(directory);
    await changeStored(damaged, (storage) => [change(storage)]);
    expect(verify(damaged).problems).toContainEqual(expect.objectContaining(problem));
  }
});

test("names the head of a session whose place in the log has something else", async () => {
  const directory = await leaveSessions();
  fillPages(directory, '"id":"b-', 0xff);
  const { problems, verified } = verify(directory);
  const reason = expect.stringMatching(/^segment-00000001\.log is damaged at byte \d+$/);
  expect(problems).toContainEqual({ what: "the log", reason });
  expect(problems).toContainEqual({ what: "the head of the session whose id ends with -1", reason });
  expect([...verified.damaged.sessions]).toEqual([1]);
  expect(verified.damaged.hasUnknown).toBe(true);
});

test("reports a damaged interaction once, with the number of those that depend on it", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const session = await proxy.session();
  let messages: object[] = [{ role: "user", content: "go" }];
  for (let i = 0; i < 8; i++) {
    const turn = await proxy.turn(session, messages);
    messages = [...turn.messages, { role: "user", content: `next ${i}` }];
  }
  await proxy.close();
  await changeStored(directory, (storage) => [flipBit(storage, "records", recordKey(0, "interaction", 2))]);
  const { problems, verified } = verify(directory);
  expect(problems).toEqual([
    { what: `interaction 2 of session ${session.id}`, reason: "its checksum is wrong", dependents: 5 },
  ]);
  expect([...verified.damaged.sessions]).toEqual([0]);
});

// In the segment that a server writes to, a damaged record counts as one that is being written, which ends the segment.
test("names a damaged record in the segment of a running server", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  await recordBranches(proxy, "a");
  fillPages(directory, "a a", 0xff);
  expect(verify(directory).problems).toContainEqual({
    what: "the log",
    reason: expect.stringMatching(/^segment-00000001\.log is damaged at byte \d+$/),
  });
});

// Their files are found by their names, which are gone.
test("checks the records of segments that a server removes meanwhile", async () => {
  const directory = newFolder();
  const storage = await openStorage(directory);
  const write = async () => {
    storage.write([record(1, 0, Buffer.alloc(2 ** 22))]);
    await storage.flushed();
  };
  await write();
  using reader = StorageReader.open(directory);
  while (existsSync(join(directory, "segment-00000001.log"))) await write();
  const problems: string[] = [];
  reader.checkRecords(({ reason }) => problems.push(reason));
  expect(problems).toEqual([]);
});

function readIds(directory: string): string[] {
  using storage = StorageReader.open(directory);
  return readHeads(storage, () => undefined).map(({ head }) => head.summary.id);
}

function flipEnd(storage: Storage, key: Buffer): Change {
  const value = Buffer.from(storage.get("records", key) ?? "");
  const last = value.length - 1;
  value[last] = (value[last] ?? 0) ^ 1;
  return { table: "records", key, value };
}

function firstKey(storage: Storage): Buffer {
  for (const { key } of storage.range("leases")) return key;
  throw new Error("The storage has no lease.");
}
