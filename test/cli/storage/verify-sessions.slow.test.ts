import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordKey, sessionKey } from "../../../src/session/stored/keys.js";
import type { StoredProblem } from "../../../src/session/stored/offline-sessions.js";
import { type Verified, verifySessions } from "../../../src/session/stored/verify-sessions.js";
import { type Change, OfflineStorage, type Storage } from "../../../src/storage/index.js";
import { changeStored, flipBit, newFolder, recordBranches, startStored } from "./stored-sessions.js";

function verify(directory: string): { verified: Verified; problems: StoredProblem[] } {
  using storage = OfflineStorage.open(directory);
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
  expect(verify(directory)).toEqual({ verified: { sessions: 2, records: 12, leases: 1 }, problems: [] });

  const damage: [(storage: Storage) => Change, Partial<StoredProblem>][] = [
    [
      (storage) => flipBit(storage, "sessions", sessionKey(1)),
      { what: "the head of session 1", reason: "its checksum is wrong" },
    ],
    [
      (storage) => flipBit(storage, "records", recordKey(1, "outcome", 2)),
      { what: "outcome 2 of session 1", reason: "its checksum is wrong" },
    ],
    [(storage) => flipEnd(storage, recordKey(0, "interaction", 1)), { what: "the data of session 0" }],
    [
      () => ({ table: "records", key: recordKey(0, "interaction", 1), value: undefined }),
      { what: "interaction 2 of session 0", reason: "interaction 1 is missing before it" },
    ],
    [
      () => ({ table: "records", key: recordKey(0, "interaction", 2), value: undefined }),
      { what: "outcome 2 of session 0", reason: "there are only 2 interactions" },
    ],
    [
      () => ({ table: "records", key: recordKey(0, "outcome", 1), value: undefined }),
      { what: "the data of session 0", reason: "it has 1 rewards of interactions instead of 2" },
    ],
    [
      () => ({ table: "records", key: recordKey(7, "outcome", 1), value: Buffer.of(1) }),
      { what: "the head of session 7", reason: "it is missing, but the session has records" },
    ],
    [(storage) => flipBit(storage, "meta", Buffer.from("identity")), { what: "value identity" }],
    [
      (storage) => flipBit(storage, "leases", firstKey(storage)),
      { what: expect.stringContaining("held export"), reason: "its checksum is wrong" },
    ],
  ];
  const original = readFileSync(join(directory, "data.mdb"));
  for (const [change, problem] of damage) {
    writeFileSync(join(directory, "data.mdb"), original);
    await changeStored(directory, (storage) => [change(storage)]);
    expect(verify(directory).problems).toContainEqual(expect.objectContaining(problem));
  }
});

test("names the sessions of a damaged page", async () => {
  const directory = await leaveSessions();
  const file = join(directory, "data.mdb");
  const bytes = readFileSync(file);
  const pages: number[] = [];
  // Free pages may have earlier copies of the text.
  for (let at = bytes.indexOf('"id":"b-'); at >= 0; at = bytes.indexOf('"id":"b-')) {
    pages.push(at >> 12);
    bytes.fill(0xff, at & ~4095, (at & ~4095) + 4096);
  }
  writeFileSync(file, bytes);
  const { problems } = verify(directory);
  expect(problems).toContainEqual({
    what: "heads of all sessions",
    reason: expect.stringMatching(new RegExp(`^page (${pages.join("|")}) is damaged`)),
  });
});

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
