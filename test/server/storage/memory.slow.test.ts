import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionRecords } from "../../../src/session/stored/session-records.js";
import { Proxy, type StartedSession } from "../../helpers/proxy.js";

/** Sessions beyond `storage.memory_bytes`, which are on disk only until they are used. */

let directory: string;
let proxy: Proxy;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-memory-"));
  proxy = await Proxy.start({ storage: { directory, memory_bytes: 1 } });
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const user = (content: string) => ({ role: "user", content });
const find = ({ id }: StartedSession) => proxy.context.registry.get(id);
async function unloaded(started: StartedSession): Promise<void> {
  await expect.poll(() => find(started).isLoaded).toBe(false);
}

async function recordSession(): Promise<StartedSession> {
  const started = await proxy.session();
  const first = await proxy.turn(started, [user("a")]);
  await unloaded(started);
  await proxy.turn(started, [...first.messages, user("b")]);
  await unloaded(started);
  await proxy.reward(started, 0.5, first.id);
  await proxy.reward(started, 1);
  return started;
}

test("frees the memory of a session that is not in use, and its next call reads it from disk", async () => {
  const started = await recordSession();
  const session = find(started);
  await unloaded(started);
  expect(session.interactionCount).toBe(2);
  await proxy.context.registry.wake(session);
  expect(session.interaction(1)).toMatchObject({ parent: 0, tokenExact: true });
  expect(session.leftOut.list()).toEqual([]);
});

test("exports sessions from disk with the same bytes as from memory", async () => {
  const started = await recordSession();
  await proxy.end(started);
  await unloaded(started);
  const fromDisk = await proxy.post("/export_batch", { session_ids: [started.id] });
  const session = find(started);
  session.data.hold();
  await proxy.context.registry.wake(session);
  const fromMemory = await proxy.post("/export_batch", { session_ids: [started.id] });
  session.data.release();
  expect(fromMemory.refusal).toBe("200");
  expect(fromDisk.raw.equals(fromMemory.raw)).toBe(true);
});

test("does not count the memory of a session on disk", async () => {
  const before = proxy.context.registry.bytes;
  const started = await proxy.session();
  await proxy.turn(started, [user("x".repeat(10_000))]);
  await unloaded(started);
  expect(proxy.context.registry.bytes - before).toBeLessThan(10_000);
  expect((await proxy.export(started)).refusal).toBe("409 session_active");
});

test("keeps a session in memory while it has a call in flight or an answer that is not sent", async () => {
  const started = await proxy.session();
  const open = proxy.engine.hold();
  const call = proxy.chat(started, [user("a")]);
  await expect.poll(() => find(started).calls.size).toBe(1);
  await proxy.context.registry.unloadIdle(() => false);
  expect(find(started).isLoaded).toBe(true);
  open();
  expect((await call).refusal).toBe("200");
  await unloaded(started);
});

test("removes a deleted or expired session from disk, whether it was in memory or not", async () => {
  const started = await recordSession();
  await unloaded(started);
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${started.id}` });
  const expired = await recordSession();
  await unloaded(expired);
  proxy.context.registry.sweep(Date.now() + 10_000_000);
  await proxy.context.storage?.records.committed();
  expect([...(proxy.context.storage?.storage.range("records") ?? [])]).toEqual([]);
  expect(find(expired).state).toBe("expired");
});

test("keeps a session in memory whose changes are not on disk yet", async () => {
  const started = await proxy.session();
  await proxy.turn(started, [user("a")]);
  const { registry, storage } = proxy.context;
  const session = find(started);
  await unloaded(started);
  await registry.wake(session);
  // The reward comes after the commit that the server waits for before it frees memory.
  const waiting = vi.spyOn(SessionRecords.prototype, "committed").mockImplementationOnce(async () => {
    await storage?.storage.committed();
    session.setReward(0.5);
  });
  await registry.unloadIdle(() => false);
  waiting.mockRestore();
  expect(session.isLoaded).toBe(true);
  await registry.unloadIdle(() => false);
  expect(session.isLoaded).toBe(false);
  await registry.wake(session);
  expect(session.tokens.interaction(0).ownReward).toBe(0.5);
});
