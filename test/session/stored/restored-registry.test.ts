import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import { Storage } from "../../../src/storage/index.js";

/** A registry that takes over the sessions of an earlier one. */

let directory: string;
let storage: Storage;
let records: SessionRecords;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-registry-"));
  storage = await Storage.open({ directory, durability: "call" });
  records = new SessionRecords(storage);
});
afterEach(async () => {
  await storage.close();
  rmSync(directory, { recursive: true });
});

function createRegistry(): SessionRegistry {
  const retention = { milliseconds: 60_000, bytes: 1e9 };
  return new SessionRegistry({ adminKey: "sk-admin-0123456789", timeoutMilliseconds: 60_000, retention, records });
}

test("writes nothing when it takes over sessions, however many there are", async () => {
  const before = createRegistry();
  before.grant(2);
  before.start({ apiKey: "sk-session-0123456789" });
  before.start({});
  await records.committed();
  const write = vi.spyOn(storage, "write");
  const after = createRegistry();
  after.restore();
  await records.committed();
  expect([...after.all()]).toHaveLength(2);
  expect(write.mock.calls.flat(2)).toEqual([]);
});
