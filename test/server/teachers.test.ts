import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { exportStorage } from "../../src/cli/export/export-storage.js";
import type { TeacherSettings } from "../../src/server/teachers/teacher-scores.js";
import { recordKey, sessionKey } from "../../src/session/stored/keys.js";
import { SessionRecords, type StoredHead } from "../../src/session/stored/session-records.js";
import { verifySession } from "../../src/session/stored/verify-session.js";
import { Storage } from "../../src/storage/index.js";
import { changeStored, flipBit } from "../cli/storage/stored-sessions.js";
import { captureLog } from "../helpers/captured-log.js";
import { ADMIN_KEY, Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors, type SafeTensors } from "../helpers/safetensors.js";
import { packSessionsFile } from "../helpers/sessions-file.js";
import { sharedDirectory } from "../helpers/shared-directory.js";
import { expectScores, numbers, rowsOf, teachersOf } from "../helpers/teacher-batch.js";
import { startTeacherServer, type TeacherKind, type TeacherServer, topOf } from "../helpers/teacher-server.js";
import { until } from "../helpers/until.js";

async function startTeacher(kind: TeacherKind = "sglang", port?: number): Promise<TeacherServer> {
  const server = await startTeacherServer(kind, port);
  onTestFinished(() => server.close());
  return server;
}

type Fields = Partial<TeacherSettings> & Pick<TeacherSettings, "urls">;

const teacherOf = (fields: Fields): TeacherSettings => ({
  name: "big",
  type: "sglang",
  topLogprobs: 0,
  maxInflight: 4,
  timeoutSeconds: 5,
  atEnd: false,
  ...fields,
});

async function start(teachers: readonly TeacherSettings[], directory?: string): Promise<Proxy> {
  const proxy = await Proxy.start({
    settings: { teachers, sharedMemory: { directory: sharedDirectory() } },
    ...(directory !== undefined && { storage: { directory } }),
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "rolltape-teachers-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Records a conversation of three turns and a branch of its first turn. */
async function recordTree(proxy: Proxy, start: object = {}): Promise<StartedSession> {
  const session = await proxy.session(start);
  const first = await proxy.turn(session, [{ role: "user", content: "one" }]);
  const second = await proxy.turn(session, [...first.messages, { role: "user", content: "two" }]);
  await proxy.turn(session, [...second.messages, { role: "user", content: "three" }]);
  await proxy.turn(session, [...first.messages, { role: "user", content: "another" }]);
  await proxy.end(session);
  return session;
}

async function exportBatch(
  proxy: Proxy,
  sessions: readonly StartedSession[],
  fields: object = {},
): Promise<SafeTensors> {
  const session_ids = sessions.map(({ id }) => id);
  const reply = await proxy.post("/export_batch", { session_ids, layout: "packed", style: "individual", ...fields });
  expect(reply.refusal).toBe("200");
  return readSafetensors(reply.raw);
}

/** Number of tokens of a session's tree that have a score: all but the first of each root. */
async function countScorable(proxy: Proxy, session: StartedSession): Promise<number> {
  const tree = await exportBatch(proxy, [session], { layout: "tree", style: undefined });
  return numbers(tree, "teacher_big_logprobs_mask").filter((mask) => mask === 1).length;
}

describe("scores of every token", () => {
  test.each<TeacherKind>(["sglang", "vllm-v2"])("are asked for once per token of the tree (%s)", async (kind) => {
    const teacher = await startTeacher(kind);
    const proxy = await start([teacherOf({ type: kind === "sglang" ? "sglang" : "vllm", urls: [teacher.url] })]);
    const session = await recordTree(proxy);
    const batch = await exportBatch(proxy, [session]);
    expect(rowsOf(batch, "input_ids")).toHaveLength(4);
    expectScores(batch);
    expect(teachersOf(batch)).toEqual({ big: { logprobs: "raw", unscored: [] } });
    // Shared prefixes once: two sequences, the second from where it leaves the first.
    expect(teacher.scored).toBe(await countScorable(proxy, session));
    expect(teacher.requests.filter(({ path }) => /generate/.test(path))).toHaveLength(2);
  });

  test.each<TeacherKind>(["vllm-v1", "vllm-completions"])(
    "come as lists from %s, which is found out once",
    async (kind) => {
      const teacher = await startTeacher(kind);
      const proxy = await start([teacherOf({ type: "vllm", urls: [teacher.url], maxInflight: 1 })]);
      const sessions = [await recordTree(proxy), await recordTree(proxy)];
      expectScores(await exportBatch(proxy, sessions));
      const refused = kind === "vllm-v1" ? 1 : 2;
      expect(teacher.requests.filter(({ path }) => path !== "/v1/models")).toHaveLength(4 + refused);
    },
  );

  test.each<TeacherKind>(["sglang", "vllm-v2", "vllm-v1"])("have the teacher's best tokens (%s)", async (kind) => {
    const teacher = await startTeacher(kind);
    const type = kind === "sglang" ? "sglang" : "vllm";
    const proxy = await start([teacherOf({ type, urls: [teacher.url], topLogprobs: 3 })]);
    const batch = await exportBatch(proxy, [await recordTree(proxy)]);
    expectScores(batch);
    expect(batch.tensors["teacher_big_top_ids"]?.shape).toEqual([numbers(batch, "input_ids").length, 3]);
    for (const [row, ids] of rowsOf(batch, "input_ids").entries()) {
      const top = ids.flatMap((_, t) => (t === 0 ? [] : topOf(ids, t, 3)));
      expect(rowsOf(batch, "teacher_big_top_ids", 3)[row]?.slice(3)).toEqual(top.map(({ id }) => id));
      expect(rowsOf(batch, "teacher_big_top_logprobs", 3)[row]?.slice(3)).toEqual(top.map(({ logprob }) => logprob));
    }
  });

  test("has places without a token if the teacher lists fewer than top_k", async () => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url], topLogprobs: 8 })]);
    const batch = await exportBatch(proxy, [await recordTree(proxy)]);
    expect(numbers(batch, "teacher_big_top_ids").slice(14, 16)).toEqual([-1, -1]);
    expect(numbers(batch, "teacher_big_top_logprobs").slice(14, 16)).toEqual([-Infinity, -Infinity]);
  });

  test("are in every layout, in shards and in shared memory", async () => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url] })]);
    const sessions = [await recordTree(proxy), await recordTree(proxy)];
    const fields = { session_ids: sessions.map(({ id }) => id), layout: "packed", style: "individual" };
    const reply = await proxy.post("/export_batch", { ...fields, transport: "shm", shards: 2 });
    const { shards } = reply.json<{ shards: readonly { path: string }[] }>();
    expect(shards).toHaveLength(2);
    for (const { path } of shards) expectScores(readSafetensors(readFileSync(path)));
    const padded = await exportBatch(proxy, sessions, { layout: "padded" });
    const scored = numbers(padded, "attention_mask").filter((mask) => mask === 1).length - 8;
    expect(numbers(padded, "teacher_big_logprobs_mask").filter((mask) => mask === 1)).toHaveLength(scored);
  });

  test("of several teachers are separate tensors", async () => {
    const [one, two] = [await startTeacher(), await startTeacher("vllm-v2")];
    const proxy = await start([
      teacherOf({ urls: [one.url] }),
      teacherOf({ name: "reference", type: "vllm", urls: [two.url] }),
    ]);
    const batch = await exportBatch(proxy, [await recordTree(proxy)]);
    expectScores(batch);
    expectScores(batch, "reference");
  });

  test("are stored: an export after a restart asks for nothing, and for new tokens only", async () => {
    const teacher = await startTeacher();
    const directory = temporary();
    const before = await start([teacherOf({ urls: [teacher.url] })], directory);
    const session = await recordTree(before);
    await exportBatch(before, [session]);
    await before.close();
    const count = teacher.requests.length;
    const proxy = await start([teacherOf({ urls: [teacher.url] })], directory);
    expectScores(await exportBatch(proxy, [session]));
    expect(teacher.requests).toHaveLength(count);
  });

  test("are in the batches of a folder that a server left", async () => {
    const teacher = await startTeacher();
    const [directory, out] = [temporary(), join(temporary(), "batch.safetensors")];
    const proxy = await start([teacherOf({ urls: [teacher.url], topLogprobs: 2 })], directory);
    const served = await exportBatch(proxy, [await recordTree(proxy)]);
    await proxy.close();
    await exportStorage({ storage: directory, out, layout: "packed", style: "individual" });
    const batch = readSafetensors(readFileSync(out));
    expectScores(batch);
    expect(batch.tensors).toEqual(served.tensors);
    expect(teachersOf(batch)).toEqual(teachersOf(served));
    expect(teacher.requests).toHaveLength(2);
  });

  test("are in sessions files, and in the batches that are made from them", async () => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url], topLogprobs: 2 })]);
    const session = await recordTree(proxy);
    const file = await proxy.post("/export_sessions", { session_ids: [session.id] });
    const batch = readSafetensors(await packSessionsFile(file.raw, { layout: "packed", style: "individual" }));
    expectScores(batch);
    expect(batch).toEqual(await exportBatch(proxy, [session]));
    expect(teacher.requests).toHaveLength(2);
  });

  test("that are damaged on disk are reported as a part that the session can do without", async () => {
    const teacher = await startTeacher();
    const directory = temporary();
    const proxy = await start([teacherOf({ urls: [teacher.url] })], directory);
    await exportBatch(proxy, [await recordTree(proxy)]);
    await proxy.close();
    const key = recordKey(0, "channels", 3);
    await changeStored(directory, (storage) => [flipBit(storage, "records", key)]);
    const storage = await Storage.open({ directory, durability: "call" });
    const head = new SessionRecords(storage).readHeads().next().value as { readonly head: StoredHead };
    const [problem, ...others] = [...verifySession(head.head, [...storage.range("records", sessionKey(0))])];
    await storage.close();
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ what: "channels 3", reason: "its checksum is wrong", spare: { key } });
  });

  test("are asked for once by exports of shards that run at the same time", async () => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url] })]);
    const session = await recordTree(proxy);
    const shard = (index: number) => exportBatch(proxy, [session], { shards: 2, shard: index });
    const batches = await Promise.all([shard(0), shard(1)]);
    for (const batch of batches) expectScores(batch);
    expect(teacher.requests).toHaveLength(2);
  });
});

test("a session that starts without a teacher is not scored by it, and does not count as unscored", async () => {
  const teacher = await startTeacher();
  const fields = { urls: [teacher.url] };
  const proxy = await start([teacherOf(fields), teacherOf({ ...fields, name: "reference" })]);
  const session = await recordTree(proxy, { without_channels: ["teacher_big"] });
  const batch = await exportBatch(proxy, [session]);
  expectScores(batch, "reference");
  expect(numbers(batch, "teacher_big_logprobs_mask")).not.toContain(1);
  expect(teachersOf(batch)).toEqual({
    big: { logprobs: "raw", unscored: [] },
    reference: { logprobs: "raw", unscored: [] },
  });
});

describe("a teacher that does not answer", () => {
  test("is waited for, then the batch names the sessions without scores, and a later export has them", async () => {
    const teacher = await startTeacher();
    const port = Number(new URL(teacher.url).port);
    await teacher.close();
    const proxy = await start([teacherOf({ urls: [teacher.url], timeoutSeconds: 0.5, topLogprobs: 2 })]);
    const session = await recordTree(proxy);
    const began = performance.now();
    const without = await exportBatch(proxy, [session]);
    expect(performance.now() - began).toBeGreaterThan(450);
    expect(teachersOf(without)).toEqual({ big: { logprobs: "raw", unscored: [session.id] } });
    expect(numbers(without, "teacher_big_logprobs_mask")).toEqual(numbers(without, "input_ids").map(() => 0));
    expect(without.tensors["teacher_big_top_ids"]?.shape).toEqual([numbers(without, "input_ids").length, 2]);
    await startTeacher("sglang", port);
    const batch = await exportBatch(proxy, [session]);
    expectScores(batch);
    expect(teachersOf(batch)).toEqual({ big: { logprobs: "raw", unscored: [] } });
  });

  test("that comes back while an export waits gives the scores", async () => {
    const teacher = await startTeacher();
    const port = Number(new URL(teacher.url).port);
    await teacher.close();
    const proxy = await start([teacherOf({ urls: [teacher.url], timeoutSeconds: 20 })]);
    const session = await recordTree(proxy);
    const exported = exportBatch(proxy, [session]);
    await sleep(300);
    await startTeacher("sglang", port);
    expectScores(await exported);
  });

  test("is replaced by another server of it", async () => {
    const [full, other] = [await startTeacher(), await startTeacher()];
    full.status = 503;
    const proxy = await start([teacherOf({ urls: [full.url, other.url] })]);
    expectScores(await exportBatch(proxy, [await recordTree(proxy)]));
    expect(full.requests.length).toBeGreaterThan(0);
  });

  test("leaves the sessions as they were if the client disconnects", async () => {
    const teacher = await startTeacher();
    let answer = () => undefined as void;
    teacher.hold = new Promise<void>((resolve) => (answer = resolve));
    const proxy = await start([teacherOf({ urls: [teacher.url] })]);
    const session = await recordTree(proxy);
    const url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const client = new AbortController();
    const exported = fetch(`${url}/export_batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ session_ids: [session.id] }),
      signal: client.signal,
    });
    await until(() => teacher.requests.length > 0);
    client.abort();
    await expect(exported).rejects.toThrow("aborted");
    const { lifecycle } = proxy.context.registry.get(session.id);
    await until(() => !lifecycle.exporting);
    expect(lifecycle.state).toBe("ended");
    answer();
    expectScores(await exportBatch(proxy, [session]));
  });

  test("has a bounded number of requests", async () => {
    const teacher = await startTeacher();
    let answer = () => undefined as void;
    teacher.hold = new Promise<void>((resolve) => (answer = resolve));
    const proxy = await start([teacherOf({ urls: [teacher.url], maxInflight: 2 })]);
    const sessions = [await recordTree(proxy), await recordTree(proxy), await recordTree(proxy)];
    const exported = exportBatch(proxy, sessions);
    await until(() => teacher.requests.length === 2);
    await sleep(100);
    expect(teacher.requests).toHaveLength(2);
    answer();
    expectScores(await exported);
    expect(teacher.requests).toHaveLength(6);
  });
});

test.each([400, 413])(
  "a sequence refused with %i leaves only its session without scores, and is not repeated",
  async (status) => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url] })]);
    const [refused, scored] = [await recordTree(proxy), await recordTree(proxy)];
    teacher.status = status;
    const first = await exportBatch(proxy, [refused]);
    expect(teachersOf(first)).toEqual({ big: { logprobs: "raw", unscored: [refused.id] } });
    expect(teacher.requests).toHaveLength(2);
    teacher.status = undefined;
    expect(teachersOf(await exportBatch(proxy, [scored]))).toEqual({ big: { logprobs: "raw", unscored: [] } });
  },
);

test("logs which server does not score, and what to check if it lacks the endpoint", async () => {
  const teacher = await startTeacher("sglang");
  const { logger, lines } = captureLog();
  const proxy = await Proxy.start({
    logger,
    settings: { teachers: [teacherOf({ urls: [teacher.url], type: "vllm" })] },
  });
  onTestFinished(() => proxy.close());
  await exportBatch(proxy, [await recordTree(proxy)]);
  const warning = JSON.stringify(lines.find(({ level }) => level === 40));
  expect(warning).toContain(`The teacher big at ${teacher.url}: The engine answered HTTP 404`);
  expect(warning).toContain("Check `engine` and `urls` of the teacher.");
});

test("a refused branch leaves the tokens before it their scores, which the other branches need", async () => {
  const teacher = await startTeacher();
  const proxy = await start([teacherOf({ urls: [teacher.url] })]);
  const session = await proxy.session();
  const first = await proxy.turn(session, [{ role: "user", content: "one" }]);
  await proxy.turn(session, [...first.messages, { role: "user", content: "two" }]);
  await proxy.turn(session, [...first.messages, { role: "user", content: "too long ".repeat(20) }]);
  await proxy.end(session);
  teacher.contextLength = 100;
  const batch = await exportBatch(proxy, [session]);
  const scored = rowsOf(batch, "teacher_big_logprobs_mask").map((row) => row.filter((mask) => mask === 1).length);
  const lengths = rowsOf(batch, "input_ids").map((ids) => ids.length);
  const [one = 0, two = 0, long = 0] = lengths;
  expect(two).toBeLessThan(100);
  expect(long).toBeGreaterThan(100);
  expect(scored.slice(0, 2)).toEqual([one - 1, two - 1]);
  // Those that it shares with the others.
  expect(scored[2]).toBeGreaterThan(0);
  expect(teachersOf(batch)).toEqual({ big: { logprobs: "raw", unscored: [session.id] } });
});

describe("scores of ended sessions", () => {
  test("are there before the export", async () => {
    const teacher = await startTeacher();
    const proxy = await start([teacherOf({ urls: [teacher.url], atEnd: true })]);
    const session = await recordTree(proxy);
    await until(() => teacher.requests.length === 2);
    expectScores(await exportBatch(proxy, [session]));
    expect(teacher.requests).toHaveLength(2);
  });

  test("are left to the export if the teacher is down", async () => {
    const teacher = await startTeacher();
    teacher.status = 503;
    const proxy = await start([teacherOf({ urls: [teacher.url], atEnd: true })]);
    const session = await recordTree(proxy);
    await until(() => teacher.requests.length === 2);
    teacher.status = undefined;
    expectScores(await exportBatch(proxy, [session]));
  });

  test("are written to disk without an export", async () => {
    const teacher = await startTeacher();
    const directory = temporary();
    const before = await start([teacherOf({ urls: [teacher.url], atEnd: true })], directory);
    const session = await recordTree(before);
    while (!(await metrics(before)).includes(`${SEQUENCES} 2`)) await sleep(10);
    await before.close();
    const proxy = await start([teacherOf({ urls: [teacher.url] })], directory);
    expectScores(await exportBatch(proxy, [session]));
    expect(teacher.requests).toHaveLength(2);
  });
});

const SEQUENCES = 'rolltape_teacher_sequences_total{teacher="big",outcome="scored"}';

const metrics = async (proxy: Proxy): Promise<string> =>
  (await proxy.request({ method: "GET", url: "/metrics" })).raw.toString();

test("metrics count sequences and tokens by teacher", async () => {
  const teacher = await startTeacher();
  const proxy = await start([teacherOf({ urls: [teacher.url] })]);
  const session = await recordTree(proxy);
  await exportBatch(proxy, [session]);
  const text = await metrics(proxy);
  expect(text).toContain(`${SEQUENCES} 2`);
  expect(text).toContain(`rolltape_teacher_tokens_total{teacher="big"} ${await countScorable(proxy, session)}`);
});
