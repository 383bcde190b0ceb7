import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { SessionArchive } from "../../../src/server/storage/session-archive.js";
import { readSessions } from "../../../src/session/stored/file/read-sessions.js";
import { Outbox } from "../../../src/storage/archive/outbox.js";
import { newFolder, recordBranches, startStored } from "../../cli/storage/stored-sessions.js";
import { FaultyStore } from "../../helpers/faulty-store.js";
import type { Proxy } from "../../helpers/proxy.js";
import { s3Environment } from "../../helpers/seaweed.js";

/** Which sessions a server archives, and when. The store refuses uploads, so the files stay in the outbox. */

beforeEach(async () => {
  const store = await FaultyStore.start();
  store.choose = () => "refuse";
  for (const [name, value] of Object.entries(s3Environment(store.port))) vi.stubEnv(name, value);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await store.close();
  });
});

/** Archives the sessions of a proxy to a folder that the store leaves as it is. */
async function archive({ context: { registry, origin } }: Proxy, maxBytes = 1 << 30) {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-archive-"));
  const outbox = await Outbox.open({ directory, address: "s3://bucket", maxBytes });
  const logger = { error: () => undefined, warn: () => undefined };
  const sessions = new SessionArchive({ registry, origin, outbox, logger, settleMilliseconds: 20 });
  onTestFinished(async () => {
    await sessions.close();
    await outbox.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const folder = join(directory, "sessions");
  const names = () => readdirSync(folder).filter((name) => name.endsWith(".sessions"));
  /** Resolves when no session is pending. Returns the names of the files. */
  const settled = async () => {
    await expect.poll(() => sessions.pending).toBe(0);
    return names();
  };
  const read = (name: string) => readFileSync(join(folder, name));
  return { sessions, settled, names, read };
}

async function rewardIn(bytes: Buffer): Promise<number | undefined> {
  for await (const { session } of readSessions(chunked(bytes), "file")) return session.sessionReward;
  return undefined;
}

async function* chunked(bytes: Buffer) {
  yield bytes;
}

test("writes a session when it has ended, and again when a reward changes it", async () => {
  const proxy = await startStored(newFolder());
  const { settled, read } = await archive(proxy);
  const session = await recordBranches(proxy, "one");
  expect(await settled()).toEqual([]);
  await proxy.end(session);
  const [name = ""] = await settled();
  expect(name).toBe(`000000000000000-${session.id}.sessions`);
  expect(proxy.context.registry.get(session.id).archived).toBe(true);
  const before = await rewardIn(read(name));
  expect((await proxy.post("/rl/set_reward", { reward: 3, scope: "session" }, session.key)).refusal).toBe("200");
  expect(proxy.context.registry.get(session.id).archived).toBe(false);
  await settled();
  expect([before, await rewardIn(read(name))]).toEqual([undefined, 3]);
});

test("writes an exported session with the same bytes", async () => {
  const proxy = await startStored(newFolder());
  const first = await archive(proxy);
  const session = await recordBranches(proxy, "one");
  await proxy.end(session);
  const [name = ""] = await first.settled();
  await first.sessions.close();
  const before = first.read(name);
  expect((await proxy.export(session)).refusal).toBe("200");
  proxy.context.registry.setArchived(proxy.context.registry.get(session.id), false);
  const second = await archive(proxy);
  expect(await second.settled()).toEqual([name]);
  expect(second.read(name).equals(before)).toBe(true);
});

test("archives after a restart what it had not, and nothing else", async () => {
  const directory = newFolder();
  const proxy = await startStored(directory);
  const first = await archive(proxy);
  const one = await recordBranches(proxy, "one");
  await proxy.end(one);
  await first.settled();
  await first.sessions.close();
  const two = await recordBranches(proxy, "two");
  await proxy.end(two);
  await proxy.close();
  const { settled } = await archive(await startStored(directory));
  expect(await settled()).toEqual([`000000000000001-${two.id}.sessions`]);
});

test("does not write a deleted session, an active one and one without calls", async () => {
  const proxy = await startStored(newFolder());
  const { settled, sessions } = await archive(proxy);
  const deleted = await recordBranches(proxy, "deleted");
  await proxy.end(deleted);
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
  await recordBranches(proxy, "active");
  await proxy.end(await proxy.session());
  expect(await settled()).toEqual([]);
  expect(sessions.lost).toBe(0);
});

test("keeps a session whose export is over until it is written", async () => {
  const proxy = await startStored(newFolder(), { retention: { milliseconds: 0, bytes: 0 } });
  const { settled, names } = await archive(proxy);
  const session = await recordBranches(proxy, "one");
  await proxy.end(session);
  expect((await proxy.export(session)).refusal).toBe("200");
  const { registry } = proxy.context;
  expect([names(), registry.get(session.id).lifecycle.freed]).toEqual([[], false]);
  expect(await settled()).toHaveLength(1);
  registry.sweep();
  expect(registry.get(session.id).lifecycle.freed).toBe(true);
});

test("leaves sessions in the storage while the outbox has no room, and counts those that are freed", async () => {
  const proxy = await startStored(newFolder());
  const { names, sessions } = await archive(proxy, 1);
  const [one, two] = [await recordBranches(proxy, "one"), await recordBranches(proxy, "two")];
  await proxy.end(one);
  await expect.poll(names).toHaveLength(1);
  await proxy.end(two);
  expect((await proxy.export(two)).refusal).toBe("200");
  const stored = proxy.context.registry.get(two.id);
  await expect.poll(() => sessions.pending).toBe(1);
  stored.free("exported");
  await sessions.flush(AbortSignal.timeout(20_000));
  expect([names().length, sessions.lost, sessions.pending]).toEqual([1, 1, 0]);
});
