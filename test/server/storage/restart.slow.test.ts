import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ServerStorage } from "../../../src/server/storage/server-storage.js";
import { SessionRegistry } from "../../../src/session/session-registry.js";
import { recordKey } from "../../../src/session/stored/keys.js";
import { decodeOutcome, type Outcome } from "../../../src/session/stored/outcome-record.js";
import { captureLog } from "../../helpers/captured-log.js";
import { Proxy, type ProxyOptions, type Reply, type StartedSession } from "../../helpers/proxy.js";
import { ScriptedEngine } from "../../helpers/scripted-engine.js";

/** A server with `storage.directory` that starts again on its folder. */

let directory: string;
let proxy: Proxy;

async function start(options: ProxyOptions<ScriptedEngine> = {}): Promise<void> {
  proxy = await Proxy.start({ ...options, storage: { directory } });
}

async function restart(options: ProxyOptions<ScriptedEngine> = {}): Promise<void> {
  await proxy.close();
  await start(options);
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "rolltape-restart-"));
  await start();
});
afterEach(async () => {
  await proxy.close();
  rmSync(directory, { recursive: true });
});

const user = (content: string) => ({ role: "user", content });
const exportBatch = (sessions: readonly StartedSession[], extra: object = {}): Promise<Reply> =>
  proxy.post("/export_batch", { session_ids: sessions.map(({ id }) => id), style: "individual", ...extra });
const readSession = async ({ id }: StartedSession) =>
  (await proxy.request({ method: "GET", url: `/rl/sessions/${id}` })).json<Record<string, unknown>>();

/** A session with a branched conversation, tool calls and rewards. */
async function recordSession(): Promise<StartedSession> {
  const started = await proxy.session({ task_id: "task-1", group_id: "group-1" });
  await proxy.post("/rl/set_version", { version: 7 });
  const first = await proxy.turn(started, [{ role: "system", content: "Be brief." }, user("a")]);
  proxy.engine.replies.push({ ids: [310, 311] });
  await proxy.turn(started, [...first.messages, user("b é 漢")], { temperature: 0.5, seed: 12 });
  await proxy.turn(started, [...first.messages, user("c")], { chat_template_kwargs: { year: 2026, exact: 1.0 } });
  await proxy.reward(started, 0.25, first.id);
  await proxy.reward(started, 1);
  return started;
}

test("keeps sessions, keys, capacity and version, and continues a conversation token-exactly", async () => {
  const started = await recordSession();
  await proxy.post("/grant_capacity", { slots: 5 });
  const before = await readSession(started);
  await restart();
  expect(await readSession(started)).toEqual({
    ...before,
    last_access_at: expect.any(Number),
    native_bytes: expect.any(Number),
    stored_bytes: expect.any(Number),
  });
  expect((await proxy.post("/grant_capacity", { slots: 1 })).json()).toEqual({ capacity: 6 });
  expect(proxy.context.weightVersion.version).toBe(7);
  const { messages } = await proxy.turn(started, [{ role: "system", content: "Be brief." }, user("a")]);
  await proxy.turn(started, [...messages, user("after")]);
  const session = proxy.context.registry.get(started.id);
  expect(session.interaction(4)).toMatchObject({ parent: 3, tokenExact: true });
});

test("finds the parent of a call among the calls before the restart", async () => {
  const started = await proxy.session();
  const first = await proxy.turn(started, [user("a")]);
  await restart();
  await proxy.turn(started, [...first.messages, user("b")]);
  expect(proxy.context.registry.get(started.id).interaction(1)).toMatchObject({ parent: 0, tokenExact: true });
});

test.each(["padded", "packed", "tree"])("exports the same bytes as without a restart (%s)", async (layout) => {
  const started = await recordSession();
  await proxy.end(started);
  const extra = { layout, turns: layout !== "tree", columns: undefined };
  const before = await exportBatch([started], extra);
  expect(before.refusal).toBe("200");
  await restart();
  const after = await exportBatch([started], extra);
  expect(after.refusal).toBe("200");
  expect(after.raw.equals(before.raw)).toBe(true);
});

test("sends a gateway the same records as without a restart, also when their export was settled before", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const prepare = async (outcome: string) => {
    const { raw, headers } = await proxy.post("/export_batch/prepare", { session_ids: [started.id] });
    await proxy.post(`/export_batch/${String(headers["x-rolltape-export-id"])}/settle`, { outcome });
    return raw;
  };
  const before = await prepare("left");
  await restart();
  expect((await prepare("taken")).equals(before)).toBe(true);
  await restart();
  expect((await prepare("taken")).equals(before)).toBe(true);
});

test("exports the same interactions with messages as without a restart", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const before = await proxy.export(started, { include: ["messages"] });
  await restart();
  expect((await proxy.export(started, { include: ["messages"] })).raw.equals(before.raw)).toBe(true);
});

test("keeps the reward of the session, and accepts new rewards", async () => {
  const started = await recordSession();
  await proxy.post("/rl/set_reward", { reward: 0.75, scope: "session" }, started.key);
  await restart();
  expect(proxy.context.registry.get(started.id).sessionReward).toBe(0.75);
  expect((await proxy.reward(started, 2)).refusal).toBe("200");
});

test("holds an export across the restart until it is acknowledged", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const held = await exportBatch([started], { acknowledge: true });
  const id = String(held.headers["x-rolltape-export-id"]);
  await restart({ retention: { milliseconds: 0, bytes: 0 } });
  const again = await exportBatch([started]);
  expect(again.raw.equals(held.raw)).toBe(true);
  expect((await proxy.request({ method: "DELETE", url: `/export_batch/${id}` })).refusal).toBe("200");
});

test("keeps keys revoked and sessions deleted, and does not reuse ids", async () => {
  const exported = await recordSession();
  await proxy.end(exported);
  await exportBatch([exported]);
  const deleted = await proxy.session();
  await proxy.request({ method: "DELETE", url: `/rl/sessions/${deleted.id}` });
  await restart();
  expect((await proxy.chat(exported, [user("x")])).refusal).toBe("401 invalid_api_key");
  expect((await proxy.request({ method: "GET", url: `/rl/sessions/${deleted.id}` })).refusal).toBe(
    "404 session_not_found",
  );
  expect((await proxy.session()).id).not.toBe(deleted.id);
});

test("removes the records of freed sessions from disk", async () => {
  const started = await recordSession();
  await proxy.end(started);
  await restart({ retention: { milliseconds: 0, bytes: 0 } });
  await exportBatch([started]);
  await proxy.context.storage?.records.committed();
  const { storage } = proxy.context.storage ?? {};
  expect([...(storage?.range("records") ?? [])]).toEqual([]);
  await restart();
  expect((await readSession(started))["state"]).toBe("exported");
});

test("stores no session key in plain form", async () => {
  const started = await proxy.session();
  const files = readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), "latin1")] as const);
  expect(files.filter(([, bytes]) => bytes.includes(started.id)).map(([name]) => name)).toEqual([
    "segment-00000001.log",
  ]);
  await proxy.context.storage?.records.committed();
  const { storage } = proxy.context.storage ?? {};
  const stored = [...(storage?.range("sessions") ?? [])].map(({ value }) => value.toString());
  expect(stored).toHaveLength(1);
  for (const text of [...stored, ...files.map(([, bytes]) => bytes)]) expect(text).not.toContain(started.key);
});

test("logs at a start what a crash left, until something is written", async () => {
  await proxy.context.storage?.records.committed();
  await proxy.session();
  const crashed = mkdtempSync(join(tmpdir(), "rolltape-restart-"));
  onTestFinished(() => rmSync(crashed, { recursive: true }));
  cpSync(directory, crashed, { recursive: true });
  const startLogged = async () => {
    const { logger, lines } = captureLog();
    const next = await Proxy.start({ logger, storage: { directory: crashed } });
    await next.post("/grant_capacity", { slots: 1 });
    await next.close();
    return lines.filter(({ msg }) => msg === "read the records that a crash left in the storage");
  };
  expect(await startLogged()).toEqual([
    expect.objectContaining({ level: 30, directory: crashed, records: expect.any(Number), bytes: expect.any(Number) }),
  ]);
  expect(await startLogged()).toEqual([]);
});

test("refuses a folder with sessions of another model", async () => {
  await proxy.turn(await proxy.session(), [user("a")]);
  await proxy.close();
  const { openServerStorage } = await import("../../../src/server/storage/server-storage.js");
  const { parseConfig } = await import("../../../src/config/index.js");
  const { pino } = await import("pino");
  const needs = { modelDigest: "other", storeBytes: 1, logger: pino({ level: "silent" }) };
  await expect(openServerStorage(parseConfig({ storage: { directory } }), needs)).rejects.toMatchObject({
    code: "storage_unusable",
    message: expect.stringContaining("sessions of another model"),
  });
  await start();
});

test("refuses a session whose tokens are damaged with 503, and serves it again when they are intact", async () => {
  const started = await recordSession();
  await restart();
  const { storage } = proxy.context.storage ?? {};
  const session = proxy.context.registry.get(started.id);
  const key = recordKey(0, "interaction", 1);
  const intact = storage?.get("records", key) ?? Buffer.alloc(0);
  const damaged = Buffer.from(intact);
  // The last bytes are the checksum of the tokens.
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  const write = (value: Buffer) => storage?.write([{ table: "records", key, value }]);
  write(damaged);
  await storage?.committed();
  const refused = await proxy.chat(started, [user("a")]);
  expect(refused.refusal).toBe("500 session_damaged");
  expect(refused.error.message).toContain(
    `Session ${started.id} is damaged: interaction 1: the checksum of its tokens is wrong.`,
  );
  expect(session.interactionCount).toBe(3);
  write(intact);
  await storage?.committed();
  expect((await proxy.chat(started, [user("a")])).refusal).toBe("200");
  expect(session.interaction(1)).toMatchObject({ parent: 0, tokenExact: true });
});

test("keeps the choices of a call, and pairs them with those of a retry after the restart", async () => {
  const started = await proxy.session();
  const messages = [user("a")];
  const call = (headers = {}) =>
    proxy.chat(started, messages, { n: 2, repetition_penalty: 1.5 }, { "idempotency-key": "k", ...headers });
  for (const ids of [[300], [301], [302], [303]]) proxy.engine.replies.push({ ids });
  await call();
  const replies = proxy.engine.replies.splice(0);
  await restart();
  proxy.engine.replies.push(...replies);
  const { choices } = (await call({ "x-stainless-retry-count": "1" })).json<{ choices: { message: object }[] }>();
  await proxy.chat(started, [...messages, choices[1]?.message ?? {}, user("go on")]);
  await restart();
  await proxy.end(started);
  const { left_out: leftOut, interactions } = (await proxy.export(started)).json<{
    left_out: { reason: string }[];
    interactions: Record<string, { choice: number; choices: number; sampling: { repetition_penalty: number } }>;
  }>();
  expect(leftOut.map(({ reason }) => reason)).toEqual(["retried", "retried"]);
  const rows = Object.values(interactions).map((each) => [each.choice, each.choices, each.sampling.repetition_penalty]);
  expect(rows).toEqual([
    [0, 2, 1.5],
    [1, 2, 1.5],
    [0, 1, 1],
  ]);
});

test("keeps the key of an older session revoked that a newer session took over and lost by its export", async () => {
  const body = { api_key: "sk-chosen-by-the-caller-0123456789" };
  const older = await proxy.session(body);
  await proxy.turn(older, [user("a")]);
  await proxy.end(older);
  const newer = await proxy.session(body);
  await proxy.turn(newer, [user("b")]);
  await proxy.end(newer);
  await exportBatch([newer]);
  await restart();
  expect((await proxy.reward(older, 1)).refusal).toBe("401 invalid_api_key");
});

test("refuses the acknowledgement of a lease that ended before the restart", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const held = await exportBatch([started], { acknowledge: true, lease_seconds: 300 });
  const url = `/export_batch/${String(held.headers["x-rolltape-export-id"])}`;
  proxy.context.exportLeases.reap(Date.now() + 300_001);
  await restart();
  expect((await proxy.request({ method: "DELETE", url })).refusal).toBe("410 export_lease_ended");
  await exportBatch([started]);
  await restart();
  expect((await proxy.request({ method: "DELETE", url })).refusal).toBe("410 export_lease_ended");
});

test("ends the retention of a session that was exported before the clock was set back", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now + 1e12);
  await exportBatch([started]);
  clock.mockRestore();
  await restart();
  proxy.context.registry.sweep(Date.now() + 300_001);
  expect(proxy.context.registry.get(started.id).lifecycle.freed).toBe(true);
});

test("keeps the number of aborted calls", async () => {
  const started = await recordSession();
  proxy.context.registry.get(started.id).count("abortedCalls");
  await restart();
  expect(await readSession(started)).toMatchObject({ aborted_calls: 1 });
});

test("knows after a restart that a client retrieved an answer whose retry it continued", async () => {
  const started = await proxy.session();
  const input = { model: "tiny", input: "a" };
  const send = (headers = {}) =>
    proxy.request({ method: "POST", url: "/v1/responses", payload: input, headers }, started.key);
  const { id } = (await send()).json<{ id: string }>();
  const retry = (await send({ "x-stainless-retry-count": "1" })).json<{ id: string }>();
  await proxy.post("/v1/responses", { ...input, previous_response_id: retry.id }, started.key);
  await proxy.request({ url: `/v1/responses/${id}` }, started.key);
  const leftOut = () => proxy.context.registry.get(started.id).leftOut.list();
  expect(leftOut()).toEqual([]);
  await restart();
  await proxy.context.registry.wake(proxy.context.registry.get(started.id));
  expect(leftOut()).toEqual([]);
});

test("refuses an admin key that is the key of a stored session", async () => {
  const { key, id } = await proxy.session();
  await proxy.context.storage?.records.committed();
  const registry = new SessionRegistry({
    adminKey: key,
    timeoutMilliseconds: 1000,
    retention: { milliseconds: 1000, bytes: 1 },
    messageFilters: [],
    workerTag: undefined,
    taggedKeysOnly: false,
    records: proxy.context.storage?.records,
    digestKey: proxy.context.storage?.digestKey,
  });
  expect(() => registry.restore()).toThrow(`The admin key is the key of the stored session ${id}`);
});

test("has on disk whose retry a call is before its answer is sent", async () => {
  const started = await proxy.session();
  const send = (headers = {}) =>
    proxy.request(
      {
        method: "POST",
        url: "/v1/chat/completions",
        payload: { messages: [user("a")] },
        headers: { "idempotency-key": "one", ...headers },
      },
      started.key,
    );
  await send();
  const { storage, records } = proxy.context.storage as ServerStorage;
  const number = proxy.context.registry.numberOf(proxy.context.registry.get(started.id)) ?? -1;
  const written: (Outcome | undefined)[] = [];
  vi.spyOn(records, "flushed").mockImplementation(async () => {
    await records.committed();
    const bytes = storage.get("records", recordKey(number, "outcome", 0));
    written.push(bytes && decodeOutcome(bytes));
  });
  expect((await send({ "x-stainless-retry-count": "1" })).status).toBe(200);
  expect(written[0]).toMatchObject({ repeatedBy: 1 });
});

test("exports an acknowledged session no more, also if a gateway that died had its records meanwhile", async () => {
  const started = await recordSession();
  await proxy.end(started);
  const { headers } = await exportBatch([started], { acknowledge: true });
  expect((await proxy.post("/export_batch/prepare", { session_ids: [started.id] })).status).toBe(200);
  const url = `/export_batch/${String(headers["x-rolltape-export-id"])}`;
  expect((await proxy.request({ method: "DELETE", url })).status).toBe(200);
  expect((await exportBatch([started])).refusal).toBe("410 session_exported");
  await restart();
  expect((await exportBatch([started])).refusal).toBe("410 session_exported");
});
