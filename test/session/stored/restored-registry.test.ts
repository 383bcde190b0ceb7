import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Message } from "../../../src/conversation/message.js";
import type { Session } from "../../../src/session/session.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import { LocalSession } from "../../../src/session/trajectory-store.js";
import { EntryBlocks, Storage } from "../../../src/storage/index.js";
import { hashText } from "../../../src/support/hash-text.js";
import { recordTurn } from "../../helpers/record-turn.js";
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
  const { session } = before.start({ apiKey: "sk-session-0123456789" });
  const tools = [{ type: "function", function: { name: "look" } }] as const;
  const messages: Message[] = [{ role: "user", content: "a story" }];
  recordTurn(session, { messages, tools }, { output: [{ role: "assistant", content: "ok" }] });
  before.start({});
  await records.committed();
  const write = vi.spyOn(storage, "write");
  const after = createRegistry();
  after.restore();
  await records.committed();
  expect([...after.all()]).toHaveLength(2);
  expect(write.mock.calls.flat(2)).toEqual([]);
});

test("goes on with the slots, numbers, keys and leases of an earlier process", async () => {
  const before = createRegistry();
  before.grant(5);
  const key = "sk-session-0123456789";
  const { session } = before.start({ apiKey: key, leaseId: "lease", groupId: "g" });
  new LocalSession(session).record(turn([user("a story")], [1, 2], [3]));
  session.setReward(1);
  session.setSessionReward(2);
  const revoked = before.start({});
  revoked.session.end();
  before.revokeKeys([revoked.session]);
  await before.delete(before.start({}).session.id);
  const { run } = before.runKeys.start({ taskId: "math" });
  before.startInRun(run, "a");
  before.cancelStart(before.start({}).session);
  await records.committed();
  const after = createRegistry();
  after.restore();
  const restored = after.byKeyHash(hashText(key));
  expect(restored).toMatchObject({ id: session.id, leaseId: "lease", groupId: "g", state: "active" });
  expect(after.byNumber(0)).toBe(restored);
  expect([restored?.sessionReward, restored?.data.rewardCount, restored?.interactionCount]).toEqual([2, 1, 1]);
  expect([after.capacity, after.byKeyHash(hashText(revoked.key))]).toEqual([1, undefined]);
  expect(after.get(revoked.session.id).state).toBe("ended");
  expect(after.findInRun(run, "a")?.id).toBe("math-3");
  expect(after.start({}).session.id).toBe("task-5");
});

test("frees the sessions that an earlier process exported in the order of their exports", async () => {
  const before = createRegistry();
  const sessions = await Promise.all([1, 2, 3].map((output) => startUnloaded(before, output)));
  const [first, second, active] = sessions as [Session, Session, Session];
  const now = vi.spyOn(Date, "now");
  for (const [at, session] of [second, first].entries()) {
    await before.wake(session);
    session.end();
    session.lifecycle.beginExport();
    session.endExport("taken");
    now.mockReturnValue(1000 + at);
    before.seal([session]);
  }
  await records.committed();
  const after = createRegistry();
  after.restore();
  const isFreed = ({ id }: Session) => after.get(id).lifecycle.freed;
  after.freeRetained(() => isFreed(second));
  expect(sessions.map(isFreed)).toEqual([false, true, false]);
  after.freeRetained(() => false);
  now.mockRestore();
  expect(sessions.map(isFreed)).toEqual([true, true, false]);
  expect(after.get(active.id).state).toBe("active");
});

test("reads stored sessions into memory that it uses again", async () => {
  const giveBack = vi.spyOn(EntryBlocks.prototype, "giveBack");
  const take = vi.spyOn(EntryBlocks.prototype, "take");
  const registry = createRegistry();
  const session = await startUnloaded(registry, 3);
  await registry.wake(session);
  session.data.unload();
  await registry.wake(session);
  expect(take.mock.results).toHaveLength(2);
  expect(take.mock.results[1]?.value).toBe(take.mock.results[0]?.value);
  expect(giveBack).toHaveBeenCalledTimes(2);
  vi.restoreAllMocks();
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
