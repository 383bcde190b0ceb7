import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { BatchOptionsInput } from "../../../src/session/batch/batch-options.js";
import type { SessionsFileError } from "../../../src/session/stored/file/errors.js";
import { newFolder, recordBranches, startStored } from "../../cli/storage/stored-sessions.js";
import { batchOptions, manySessions } from "../../helpers/export-model/arbitraries.js";
import { recordCalls } from "../../helpers/export-model/record.js";
import { ADMIN_KEY, Proxy, type ProxyOptions, type StartedSession } from "../../helpers/proxy.js";
import { recordLarge } from "../../helpers/record-large.js";
import type { ScriptedEngine } from "../../helpers/scripted-engine.js";
import { packSessionsFile, readSessionsFile } from "../../helpers/sessions-file.js";

/** `POST /export_sessions`, and batches that are made from its answer. */

async function startProxy(options: ProxyOptions<ScriptedEngine> = {}): Promise<Proxy> {
  const proxy = await Proxy.start(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

async function exportFile(proxy: Proxy, ids: readonly string[]): Promise<Buffer> {
  const reply = await proxy.post("/export_sessions", { session_ids: ids });
  expect(reply.refusal).toBe("200");
  return reply.raw;
}

const toFields = (options: BatchOptionsInput): object =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name.replace(/[A-Z]/gu, "_$&").toLowerCase(), value]),
  );

/** Exports random sessions of a proxy with random options. */
function randomExports(proxy: Proxy): fc.IAsyncProperty<unknown> {
  const { registry } = proxy.context;
  return fc.asyncProperty(manySessions({ undelivered: true }), batchOptions, async ({ exported }, options) => {
    const ids = exported.map(({ taskId = "task", groupId, turns, sessionReward }) => {
      registry.grant(1);
      const { session } = registry.start({ taskId, groupId });
      recordCalls(session, turns, { sessionReward, hasChannels: turns.length % 2 === 0 });
      return session.id;
    });
    const file = await exportFile(proxy, ids);
    const served = await proxy.post("/export_batch", { session_ids: ids, ...toFields(options) });
    const packed = await packSessionsFile(file, options).catch(({ code }: { code: string }) => code);
    expect(packed).toEqual(served.status < 300 ? served.raw : served.error.code);
  });
}

test("a batch of random sessions is the same from their file and from the server, or refused for the same reason", async () => {
  const property = randomExports(await startProxy());
  await expect(fc.assert(property, { numRuns: 200 })).resolves.toBeUndefined();
}, 120_000);

test("a batch of random sessions is the same if the server stores its sessions", async () => {
  const property = randomExports(await startStored(newFolder()));
  await expect(fc.assert(property, { numRuns: 20 })).resolves.toBeUndefined();
}, 120_000);

const TOOLS = [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: {} } } }];

async function recordWithTools(proxy: Proxy): Promise<StartedSession> {
  const session = await proxy.session({ task_id: "tools" });
  const first = await proxy.turn(session, [{ role: "user", content: "x" }], { tools: TOOLS, n: 2 });
  await proxy.turn(session, [...first.messages, { role: "user", content: "y" }], { tools: TOOLS });
  return session;
}

test("a file keeps tools, messages and choices of calls", async () => {
  const proxy = await startProxy();
  const session = await recordWithTools(proxy);
  await proxy.end(session);
  const [read] = await readSessionsFile(await exportFile(proxy, [session.id]));
  const live = proxy.context.registry.get(session.id);
  const copy = read?.session;
  expect(copy?.interactionCount).toBe(3);
  for (let index = 0; index < 3; index++) {
    const [expected, found] = [live.interaction(index), copy?.interaction(index)];
    expect(found && copy?.data.log.readMessages(found)).toEqual(live.data.log.readMessages(expected));
    expect(found?.output).toEqual(expected.output);
    expect(found && copy?.data.readTools(found)).toBe(live.data.readTools(expected));
  }
});

test("a server with storage that has restarted exports the same file", async () => {
  const directory = newFolder();
  const before = await startStored(directory);
  const sessions = [await recordBranches(before, "a"), await recordWithTools(before)];
  const ids = sessions.map(({ id }) => id);
  for (const session of sessions) await before.end(session);
  const first = await exportFile(before, ids);
  await before.close();
  const after = await startStored(directory);
  const second = await exportFile(after, ids);
  expect((await packSessionsFile(second, {})).equals(await packSessionsFile(first, {}))).toBe(true);
  expect(
    (await packSessionsFile(second, {})).equals((await after.post("/export_batch", { session_ids: ids })).raw),
  ).toBe(true);
});

test("an export of a file leaves its sessions as they are", async () => {
  const proxy = await startProxy();
  const session = await recordBranches(proxy, "a");
  await proxy.end(session);
  await exportFile(proxy, [session.id]);
  const { lifecycle } = proxy.context.registry.get(session.id);
  await lifecycle.waitSettled();
  expect(lifecycle).toMatchObject({ state: "ended", freed: false, exporting: false });
  expect((await proxy.reward(session, 2)).status).toBe(200);
});

test("sessions that are active, unknown or freed are refused like by an export", async () => {
  const proxy = await startProxy({ retention: { milliseconds: 0, bytes: 0 } });
  const active = await proxy.session();
  const freed = await recordBranches(proxy, "a");
  await proxy.end(freed);
  await proxy.export(freed);
  for (const id of [active.id, "unknown-1", freed.id]) {
    const refusal = (await proxy.post("/export_trajectories", { session_id: id })).refusal;
    expect((await proxy.post("/export_sessions", { session_ids: [id] })).refusal).toBe(refusal);
  }
});

test("a session that was exported and is held can be exported as a file", async () => {
  const proxy = await startProxy();
  const session = await recordBranches(proxy, "a");
  await proxy.end(session);
  const held = await proxy.post("/export_batch", { session_ids: [session.id], acknowledge: true });
  const file = await exportFile(proxy, [session.id]);
  expect((await packSessionsFile(file, {})).equals(held.raw)).toBe(true);
  const id = String(held.headers["x-rolltape-export-id"]);
  expect((await proxy.request({ method: "DELETE", url: `/export_batch/${id}` })).status).toBe(200);
});

async function recordFile(): Promise<Buffer> {
  const proxy = await startProxy();
  const sessions = [await recordBranches(proxy, "a"), await recordBranches(proxy, "b")];
  for (const session of sessions) await proxy.end(session);
  return exportFile(
    proxy,
    sessions.map(({ id }) => id),
  );
}

const codeOf = (file: Buffer): Promise<string> =>
  readSessionsFile(file).then(
    () => "read",
    (error: SessionsFileError) => error.code,
  );

test("a file that was cut anywhere is refused", async () => {
  const file = await recordFile();
  for (let length = 8; length < file.length; length += 97)
    expect(await codeOf(file.subarray(0, length))).toBe("damaged");
  expect(await codeOf(file.subarray(0, file.length - 1))).toBe("damaged");
  expect(await codeOf(Buffer.concat([file, Buffer.from("x")]))).toBe("damaged");
  await expect(readSessionsFile(file.subarray(0, 2000))).rejects.toThrow("x.sessions is damaged: its end is missing.");
});

test("a file with a changed byte anywhere is refused", async () => {
  const file = await recordFile();
  for (let at = 8; at < file.length; at += 89) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] ?? 0) ^ 16;
    expect(await codeOf(changed)).toBe("damaged");
  }
});

/** Returns the kind and the payload of each record, as docs/reference/sessions-files.md describes them. */
function readRecords(file: Buffer): { kind: number; payload: Buffer }[] {
  const records: { kind: number; payload: Buffer }[] = [];
  for (let at = 8; at < file.length; at += 9 + file.readUInt32LE(at))
    records.push({ kind: file.readUInt8(at + 4), payload: file.subarray(at + 9, at + 9 + file.readUInt32LE(at)) });
  return records;
}

test("a file ends with the numbers of its sessions and of the records before the end", async () => {
  const records = readRecords(await recordFile());
  const end = records.at(-1);
  expect(end?.kind).toBe(5);
  const sessions = records.filter(({ kind }) => kind === 2).length;
  expect(sessions).toBe(2);
  expect(JSON.parse(String(end?.payload))).toMatchObject({ sessions, records: records.length - 1 });
});

test("a file without one of its records is refused", async () => {
  const file = await recordFile();
  const first = file.readUInt32LE(8) + 9;
  const without = Buffer.concat([file.subarray(0, 8), file.subarray(8 + first)]);
  await expect(readSessionsFile(without)).rejects.toThrow(
    "x.sessions is damaged: records are missing or in another order.",
  );
});

test("other files, and files of a later version, are refused with their reason", async () => {
  const file = await recordFile();
  expect(await codeOf(Buffer.from('{"a":1}\n'))).toBe("not_sessions");
  const later = Buffer.from(file);
  later.writeUInt16LE(2, 6);
  await expect(readSessionsFile(later)).rejects.toThrow(
    "x.sessions has format 2; this Rolltape reads format 1. Use the Rolltape that wrote it.",
  );
});

test("a client that disconnects leaves the sessions as they are", async () => {
  const proxy = await startProxy();
  const session = await proxy.session();
  recordLarge(proxy.context.registry.get(session.id), 30);
  const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
  const body = JSON.stringify({ session_ids: [session.id] });
  const { lifecycle } = proxy.context.registry.get(session.id);
  const answer = await fetch(`${url}/export_sessions`, { method: "POST", headers, body, signal: leaving.signal });
  expect([answer.status, lifecycle.exporting]).toEqual([200, true]);
  leaving.abort();
  await lifecycle.waitSettled();
  expect(lifecycle).toMatchObject({ state: "ended", exporting: false });
  expect((await proxy.reward(session, 2)).status).toBe(200);
});
