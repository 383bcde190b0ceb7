import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Session } from "../../../src/session/session.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { Storage } from "../../../src/storage/index.js";
import { turn, user } from "../../helpers/turn.js";

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

/** Starts a session with one interaction, whose data is on disk only. */
async function startUnloaded(registry: SessionRegistry, output: number): Promise<Session> {
  registry.grant(1);
  const { session } = registry.start({});
  new LocalSession(session).record(turn([user("a story")], [1, 2], [output]));
  await records.committed();
  session.data.unload();
  return session;
}

test("unloads an idle session once what it recorded is on disk, so that it can be read again", async () => {
  const registry = createRegistry();
  registry.grant(1);
  const { session } = registry.start({});
  new LocalSession(session).record(turn([user("a story")], [1, 2], [3]));
  session.delivery.answered(0);
  await registry.unloadIdle(() => false);
  expect(session.isLoaded).toBe(false);
  await registry.wake(session);
  expect(session.tokens.prompt([], 0).tokens()).toEqual(Int32Array.of(1, 2, 3));
});

test("unloads the session with the oldest call first, until there is enough memory", async () => {
  const registry = createRegistry();
  registry.grant(3);
  const sessions = [2, 1, 3].map((lastAccessAt) => Object.assign(registry.start({}).session, { lastAccessAt }));
  await registry.unloadIdle(() => sessions.some(({ isLoaded }) => !isLoaded));
  expect(sessions.map(({ isLoaded }) => isLoaded)).toEqual([true, false, true]);
});

test("restores sessions that are used at the same time, each with its own tokens", async () => {
  const registry = createRegistry();
  const sessions = await Promise.all(Array.from({ length: 20 }, (_, index) => startUnloaded(registry, index)));
  // Two users of each session.
  await Promise.all([...sessions, ...sessions].map((session) => registry.wake(session)));
  const outputs = sessions.map((session) => session.tokens.prompt([], 0).tokens());
  expect(outputs).toEqual(sessions.map((_, index) => Int32Array.of(1, 2, index)));
});

test("waits for no data of a session that is deleted before its turn to be read", async () => {
  const registry = createRegistry();
  const sessions = await Promise.all(Array.from({ length: 12 }, (_, index) => startUnloaded(registry, index)));
  const waking = Promise.all(sessions.map((session) => registry.wake(session)));
  const last = sessions.at(-1);
  await registry.delete(last?.id ?? "");
  await records.committed();
  await waking;
  expect(sessions.map(({ isLoaded }) => isLoaded)).toEqual(sessions.map((session) => session !== last));
});

test("refuses reads that wait when the storage is closed", async () => {
  const registry = createRegistry();
  const sessions = await Promise.all(Array.from({ length: 12 }, (_, index) => startUnloaded(registry, index)));
  const waking = Promise.allSettled(sessions.map((session) => registry.wake(session)));
  await storage.close();
  const reasons = (await waking).flatMap((result) => (result.status === "rejected" ? [String(result.reason)] : []));
  expect(new Set(reasons)).toEqual(new Set(["StorageError: The server is closing its storage."]));
});

test("does not restore a session that is deleted while it is read", async () => {
  const registry = createRegistry();
  const session = await startUnloaded(registry, 3);
  const waking = registry.wake(session);
  await registry.delete(session.id);
  await waking;
  expect([session.isLoaded, session.data.size.native, session.interactionCount]).toEqual([false, 0, 1]);
});

test("counts no memory for a session that was freed by an earlier process", async () => {
  const before = createRegistry();
  before.grant(2);
  const { session: freed } = before.start({});
  before.start({});
  freed.free("expired");
  await records.committed();
  const after = createRegistry();
  after.restore();
  const restored = [...after.all()];
  expect(restored.map(({ state }) => state)).toEqual(["expired", "active"]);
  expect(restored[0]?.data.size.bytes).toBe(0);
  expect(after.bytes).toBe(restored[1]?.data.size.bytes);
});

test("counts a session that expires before its end as over once, as expired", () => {
  const registry = createRegistry();
  registry.grant(2);
  const outcomes: string[] = [];
  registry.events.on("over", (_, outcome) => outcomes.push(outcome));
  const [unused, ended] = [registry.start({}).session, registry.start({}).session];
  ended.end();
  for (const session of [unused, ended]) session.free("expired");
  expect(outcomes).toEqual(["ended", "expired"]);
});

test("tells that the data of a session changes once it is no longer active", async () => {
  const registry = createRegistry();
  registry.grant(1);
  const { session } = registry.start({});
  const changed: string[] = [];
  registry.events.on("changed", ({ id }) => changed.push(id));
  new LocalSession(session).record(turn([user("a story")], [1, 2], [3]));
  session.setReward(1);
  session.end();
  expect(changed).toEqual([]);
  session.setReward(2);
  session.delivery.answered(0);
  expect(changed).toEqual([session.id, session.id]);
});
