import { describe, expect, it, onTestFinished } from "vitest";
import type { Heap } from "../../src/server/limits/heap-watch.js";
import type { WireExport } from "../helpers/export-json.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy, type ProxyOptions, type Reply, type StartedSession } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { user } from "../helpers/turn.js";
import { until } from "../helpers/until.js";

/** The memory of all sessions has a limit. A store that fills up refuses sessions first and then calls. It always exports. */

const LIMIT = 400_000;
const HIGH_WATER = 0.8;
const TEXT = "word ".repeat(800);

async function start(options: Partial<ProxyOptions<ScriptedEngine>> = {}): Promise<Proxy> {
  const proxy = await Proxy.start({
    ...options,
    settings: { knownRequestBytes: 0, store: { bytes: LIMIT, highWater: HIGH_WATER }, ...options.settings },
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

const startSession = async (proxy: Proxy): Promise<Reply> => {
  await proxy.post("/grant_capacity", {});
  return proxy.post("/rl/start_session", {});
};

const idOf = (reply: Reply): string => reply.json<{ id: string }>().id;

let texts = 0;
/** Returns a different text each time, so that no call continues another. */
const newText = () => user(`${texts++} ${TEXT}`);

/** Makes calls until one is refused. Returns the ids of the recorded calls and the refusal. */
async function fill(proxy: Proxy, session: StartedSession): Promise<{ ids: string[]; refused: Reply }> {
  for (const ids: string[] = []; ; ) {
    const reply = await proxy.chat(session, [newText()]);
    if (reply.status !== 200) return { ids, refused: reply };
    ids.push(idOf(reply));
  }
}

async function metric(proxy: Proxy, name: string): Promise<number> {
  return readSample((await proxy.request({ url: "/metrics" })).raw.toString(), name) ?? Number.NaN;
}

async function exportedIds(proxy: Proxy, session: StartedSession): Promise<string[]> {
  await proxy.end(session);
  const reply = await proxy.export(session);
  expect(reply.status).toBe(200);
  return Object.keys(reply.json<WireExport>().interactions);
}

describe("a store that fills up", () => {
  it("starts no sessions above its high-water mark, while running sessions go on", async () => {
    const proxy = await start();
    const session = await proxy.session();
    let refused = await startSession(proxy);
    for (; refused.status === 200; refused = await startSession(proxy)) await proxy.chat(session, [newText()]);
    expect(refused.refusal).toBe("503 store_full");
    expect(refused.headers["retry-after"]).toBe("5");
    expect(refused.error).toMatchObject({ resource: "store", allowed: HIGH_WATER * LIMIT, type: "server_error" });
    const bytes = await metric(proxy, "rolltape_store_bytes");
    expect(bytes).toBeGreaterThan(HIGH_WATER * LIMIT);
    expect(bytes).toBeLessThan(LIMIT);
    expect(await metric(proxy, "rolltape_store_limit_bytes")).toBe(LIMIT);
    expect((await proxy.chat(session, [user("hello")])).status).toBe(200);
  });

  it("does not take the slot of a session that it refuses", async () => {
    const proxy = await start({ settings: { store: { bytes: 1, highWater: 1 } } });
    expect((await startSession(proxy)).status).toBe(200);
    expect((await startSession(proxy)).refusal).toBe("503 store_full");
    expect(proxy.context.registry.capacity).toBe(1);
  });

  it("refuses calls at its limit, and exports exactly what was recorded", async () => {
    const proxy = await start();
    const sessions = [await proxy.session(), await proxy.session()];
    const filled: string[][] = [];
    for (const session of sessions) {
      const { ids, refused } = await fill(proxy, session);
      expect(refused.refusal).toBe("503 store_full");
      expect(refused.headers["retry-after"]).toBe("5");
      filled.push(ids);
    }
    expect(await metric(proxy, "rolltape_store_bytes")).toBeLessThanOrEqual(LIMIT);
    const asked = proxy.engine.calls.length;
    expect(asked).toBe(filled.flat().length);
    const [session] = sessions as [StartedSession];
    expect((await proxy.reward(session, 1)).status).toBe(200);
    expect(await exportedIds(proxy, session)).toEqual(filled[0]);
    expect(await metric(proxy, 'rolltape_refused_total{code="store_full"}')).toBe(2);
  });

  it("refuses to write a stored response that has no room, and writes smaller ones", async () => {
    const proxy = await start();
    const session = await proxy.session();
    const respond = async (instructions: string) =>
      idOf(await proxy.post("/v1/responses", { model: "tiny", input: "hello", instructions }, session.key));
    const small = await respond("Be brief.");
    const large = await respond("word ".repeat(4400));
    await respond("other ".repeat(3600));
    const retrieve = (id: string) => proxy.request({ url: `/v1/responses/${id}` }, session.key);
    const before = await metric(proxy, "rolltape_store_bytes");
    expect((await retrieve(large)).refusal).toBe("503 store_full");
    expect((await retrieve(small)).status).toBe(200);
    expect(await metric(proxy, "rolltape_store_bytes")).toBe(before);
  });

  it("counts what calls in flight will keep, so that they cannot exceed its limit together", async () => {
    const proxy = await start();
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const note = "x".repeat(20_000);
    const calls = Array.from({ length: 12 }, (_, i) =>
      proxy.chat(session, [user(`question ${i}`)], { chat_template_kwargs: { note } }),
    );
    const first = await Promise.race(calls);
    expect(first.refusal).toBe("503 store_full");
    release();
    const recorded = (await Promise.all(calls)).filter(({ status }) => status === 200);
    expect(recorded.length).toBeGreaterThan(1);
    expect(await metric(proxy, "rolltape_store_bytes")).toBeLessThanOrEqual(LIMIT);
  });

  it("accepts calls and sessions again when sessions are deleted", async () => {
    const proxy = await start();
    const [big, small] = [await proxy.session(), await proxy.session()];
    await fill(proxy, big);
    expect((await startSession(proxy)).refusal).toBe("503 store_full");
    await proxy.request({ method: "DELETE", url: `/rl/sessions/${big.id}` });
    expect((await startSession(proxy)).status).toBe(200);
    expect((await proxy.chat(small, [newText()])).status).toBe(200);
  });

  it("frees exported sessions before it refuses, oldest first and no more than needed", async () => {
    const proxy = await start();
    const exported: StartedSession[] = [];
    for (let i = 0; i < 3; i++) {
      const session = await proxy.session();
      for (let call = 0; call < 4; call++) await proxy.chat(session, [newText()]);
      await exportedIds(proxy, session);
      exported.push(session);
    }
    const before = await metric(proxy, "rolltape_store_bytes");
    const running = await proxy.session();
    for (let bytes = before; bytes <= LIMIT + before / 6; bytes += before / 12) {
      expect((await proxy.chat(running, [newText()])).status).toBe(200);
    }
    const again = await Promise.all(exported.map((session) => proxy.export(session)));
    expect(again.map(({ refusal }) => refusal)).toEqual(["410 session_exported", "200", "200"]);
  });

  it("does not free a session of which another shard is still to be exported", async () => {
    const proxy = await start();
    const [session, running] = [await proxy.session(), await proxy.session()];
    for (let call = 0; call < 4; call++) await proxy.chat(session, [newText()]);
    await proxy.end(session);
    const exportShard = (shard: number) =>
      proxy.post("/export_batch", { session_ids: [session.id], shards: 2, shard, transport: "body" });
    expect((await exportShard(0)).status).toBe(200);
    await fill(proxy, running);
    expect((await exportShard(1)).status).toBe(200);
  });

  it("forgets remembered requests before it refuses a call", async () => {
    const proxy = await start({ settings: { knownRequestBytes: LIMIT } });
    const session = await proxy.session();
    await proxy.chat(session, [user("word ".repeat(5000))]);
    expect(await metric(proxy, "rolltape_known_request_bytes")).toBeGreaterThan(0);
    const { refused } = await fill(proxy, session);
    expect(refused.refusal).toBe("503 store_full");
    expect(proxy.context.conversations.bytes).toBe(0);
  });
});

it("counts the bodies of calls in flight, so that concurrent calls cannot exceed the limit together", async () => {
  const proxy = await start();
  const session = await proxy.session();
  const release = proxy.engine.hold();
  const calls = Array.from({ length: 60 }, () => proxy.chat(session, [newText()]));
  await Promise.race(calls);
  await until(() => proxy.engine.calls.length > 0);
  expect(await metric(proxy, "rolltape_store_bytes")).toBeLessThanOrEqual(LIMIT);
  release();
  const replies = await Promise.all(calls);
  const counts = new Map<string, number>();
  for (const { refusal } of replies) counts.set(refusal, (counts.get(refusal) ?? 0) + 1);
  expect([...counts.keys()].sort()).toEqual(["200", "503 store_full"]);
  const recorded = replies.filter(({ status }) => status === 200).map(idOf);
  expect((await exportedIds(proxy, session)).sort()).toEqual(recorded.sort());
});

it("does not count bodies that are refused because of `body_bytes_in_flight`", async () => {
  const { proxy, url } = await listeningProxy({
    settings: { store: { bytes: LIMIT, highWater: HIGH_WATER }, bodyBytesInFlight: 80_000, maxBodyBytes: LIMIT },
  });
  const [session, other] = [await proxy.session(), await proxy.session()];
  const head = (bytes: number) =>
    requestHead(
      "POST",
      "/v1/chat/completions",
      `authorization: Bearer ${session.key}`,
      "content-type: application/json",
      `content-length: ${bytes}`,
    );
  const before = await metric(proxy, "rolltape_store_bytes");
  await openConnection(new URL(url).port, head(10_000));
  await expect.poll(() => metric(proxy, "rolltape_store_bytes")).toBe(before + 20_000);
  const { received } = await openConnection(new URL(url).port, head(300_000));
  await until(() => received().includes("server_busy"));
  expect(await metric(proxy, "rolltape_store_bytes")).toBe(before + 20_000);
  expect((await proxy.chat(other, [newText()])).status).toBe(200);
});

it("stops counting calls when they end, however they end", async () => {
  const proxy = await start();
  const session = await proxy.session();
  const before = await metric(proxy, "rolltape_store_bytes");
  proxy.engine.replies.push(new Error("broken"));
  await proxy.chat(session, [newText()]);
  await proxy.post("/v1/chat/completions", { messages: 5 }, session.key);
  await proxy.post("/v1/messages/count_tokens", { model: "tiny", messages: [newText()] }, session.key);
  expect(await metric(proxy, "rolltape_store_bytes")).toBe(before);
});

it("counts stored responses", async () => {
  const proxy = await start();
  const bytesOf = async (store: boolean) => {
    const { id, key } = await proxy.session();
    await proxy.post("/v1/responses", { input: "hello", store, metadata: { note: "x".repeat(500) } }, key);
    return (await proxy.request({ url: `/rl/sessions/${id}` })).json<{ stored_bytes: number }>().stored_bytes;
  };
  expect(await bytesOf(true)).toBeGreaterThan((await bytesOf(false)) + 500);
});

describe("a full JavaScript heap", () => {
  const FREE = 100;
  const V8_LIMIT = 1_000_000_001;
  /** Seven tenths of V8's limit, in whole bytes. */
  const ALLOWED = 700_000_000;

  /** A heap whose use the test sets. Collecting garbage leaves what `live` says. */
  function scriptedHeap(): Heap & { used: number; live: number; collected: number } {
    return {
      used: FREE,
      live: FREE,
      collected: 0,
      read() {
        return { used: this.used, limit: V8_LIMIT };
      },
      collect() {
        this.collected++;
        this.used = this.live;
      },
    };
  }

  async function startWith(heap: Heap): Promise<Proxy> {
    return start({ settings: { heap, store: { bytes: 1e9, highWater: HIGH_WATER } } });
  }

  it("starts no sessions above its high-water mark and makes no calls at its limit", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    const session = await proxy.session();
    heap.used = heap.live = HIGH_WATER * ALLOWED + 1;
    await expect.poll(async () => (await startSession(proxy)).refusal).toBe("503 store_full");
    const refused = await startSession(proxy);
    expect(refused.error).toMatchObject({ resource: "heap", allowed: Math.round(HIGH_WATER * ALLOWED) });
    const recorded = await proxy.chat(session, [user("hello")]);
    expect(recorded.status).toBe(200);
    heap.used = heap.live = ALLOWED + 1;
    await expect.poll(async () => (await proxy.chat(session, [])).refusal).toBe("503 store_full");
    expect(await metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    expect(await metric(proxy, "rolltape_heap_limit_bytes")).toBe(ALLOWED);
    expect(await exportedIds(proxy, session)).toEqual([idOf(recorded)]);
    heap.used = FREE;
    await expect.poll(async () => (await startSession(proxy)).refusal).toBe("200");
  });

  it("is not full if only garbage fills it", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    heap.used = ALLOWED + 1;
    await expect.poll(() => metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    expect((await startSession(proxy)).status).toBe(200);
    expect(heap.collected).toBe(1);
  });

  it("frees exported sessions before it refuses", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    const session = await proxy.session();
    await proxy.chat(session, [user("hello")]);
    await exportedIds(proxy, session);
    heap.used = heap.live = ALLOWED + 1;
    await expect.poll(() => metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    expect((await startSession(proxy)).refusal).toBe("503 store_full");
    expect((await proxy.export(session)).refusal).toBe("410 session_exported");
    expect(heap.collected).toBe(2);
  });

  it("forgets sessions without data before it refuses, but keeps the newest", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    const { registry } = proxy.context;
    registry.grant(1002);
    const sessions = Array.from({ length: 1002 }, () => registry.start({}).session);
    for (const session of sessions) session.free("expired");
    heap.used = heap.live = ALLOWED + 1;
    await expect.poll(() => metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    expect((await startSession(proxy)).refusal).toBe("503 store_full");
    expect([...registry.all()]).toEqual(sessions.slice(2));
  });

  it("counts the text of calls in flight", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    const session = await proxy.session();
    heap.used = heap.live = ALLOWED - 20_000;
    await expect.poll(() => metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    expect((await proxy.chat(session, [user("x".repeat(2000))])).status).toBe(200);
    expect((await proxy.chat(session, [user("x".repeat(6000))])).refusal).toBe("503 store_full");
  });

  it("refuses a call that has room alone, but not beside the text of a call in flight", async () => {
    const heap = scriptedHeap();
    const proxy = await startWith(heap);
    const session = await proxy.session();
    heap.used = heap.live = ALLOWED - 20_000;
    await expect.poll(() => metric(proxy, "rolltape_heap_bytes")).toBe(heap.used);
    const release = proxy.engine.hold();
    const inFlight = proxy.chat(session, [user("x".repeat(4200))]);
    await until(() => proxy.engine.calls.length === 1);
    const second = proxy.chat(session, [user("y".repeat(4200))]).then(({ refusal }) => refusal);
    const generated = until(() => proxy.engine.calls.length === 2).then(() => "generated");
    expect(await Promise.race([second, generated])).toBe("503 store_full");
    release();
    expect((await inFlight).status).toBe(200);
    expect((await proxy.chat(session, [user("y".repeat(4200))])).status).toBe(200);
  });
});
