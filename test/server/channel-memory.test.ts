import { expect, onTestFinished, test } from "vitest";
import type { SamplingParams } from "../../src/engine/engine.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy } from "../helpers/proxy.js";
import { ScriptedEngine } from "../helpers/scripted-engine.js";
import { user } from "../helpers/turn.js";
import { until } from "../helpers/until.js";

/** Calls in flight reserve memory for the channels that their outputs may have. */

const LIMIT = 400_000;
const PER_OUTPUT = 100;
const UNLIMITED = Number.POSITIVE_INFINITY;

/** Its channels take 7 bytes for each token of a sequence, and more for an output. */
class ChannelEngine extends ScriptedEngine {
  perOutput = PER_OUTPUT;

  sequenceChannelBytes(without: readonly string[] = []): number {
    return without.includes("routed_experts") ? 0 : 7;
  }

  outputChannelBytes({ topK }: SamplingParams, without: readonly string[] = []): number {
    return without.includes("kept_ids") ? 0 : this.perOutput * Math.max(1, topK);
  }
}

async function start(settings: Partial<ServerSettings> = {}): Promise<Proxy<ChannelEngine>> {
  const engine = new ChannelEngine();
  const proxy = await Proxy.start({
    engine,
    settings: { knownRequestBytes: 0, store: { bytes: LIMIT, highWater: 0.8 }, ...settings },
  });
  onTestFinished(() => proxy.close());
  return proxy;
}

async function storeBytes(proxy: Proxy<ChannelEngine>): Promise<number> {
  return readSample((await proxy.request({ url: "/metrics" })).raw.toString(), "rolltape_store_bytes") ?? Number.NaN;
}

/** Returns the memory that counts while the engine has a call with these fields, and then after it. */
async function measureCall(proxy: Proxy<ChannelEngine>, fields: object, without: readonly string[] = []) {
  const session = await proxy.session(without.length > 0 ? { without_channels: without } : {});
  const asked = proxy.engine.calls.length;
  const before = await storeBytes(proxy);
  const release = proxy.engine.hold();
  const reply = proxy.chat(session, [user("hello")], fields);
  await until(() => proxy.engine.calls.length > asked);
  const during = (await storeBytes(proxy)) - before;
  release();
  expect((await reply).status).toBe(200);
  return { during, after: (await storeBytes(proxy)) - before };
}

const ALL = ["routed_experts", "kept_ids"] as const;

test.each([
  { name: "masks and fixed tokens", without: ["routed_experts"], fields: {}, perToken: PER_OUTPUT },
  { name: "masks, whose length follows from top-k", without: ["routed_experts"], fields: { top_k: 3 }, perToken: 300 },
  { name: "experts of outputs", without: ["kept_ids"], fields: {}, perToken: 7 },
  { name: "two choices", without: ["routed_experts"], fields: { n: 2 }, perToken: 2 * PER_OUTPUT },
])("a call in flight reserves memory for $name, which its end gives back", async ({ without, fields, perToken }) => {
  const proxy = await start();
  const request = { max_tokens: 500, ...fields };
  const none = await measureCall(proxy, request, ALL);
  const { during, after } = await measureCall(proxy, request, without);
  const experts = without.includes("routed_experts") ? 0 : 7 * (proxy.engine.calls.at(-1)?.prompt.length ?? 0);
  expect(during - none.during).toBe(500 * perToken + experts);
  expect(after).toBe(none.after);
});

test("a call in flight reserves memory for the alternatives that are recorded", async () => {
  const [proxy, plain] = [await start({ topLogprobs: 5 }), await start()];
  const request = { max_tokens: 500 };
  const { during } = await measureCall(proxy, request, ALL);
  expect(during - (await measureCall(plain, request, ALL)).during).toBe(500 * 5 * 8);
});

test("calls whose channels do not fit into the store together are refused before the engine is asked", async () => {
  const proxy = await start();
  const session = await proxy.session();
  proxy.engine.perOutput = (0.6 * LIMIT) / 500;
  const release = proxy.engine.hold();
  const first = proxy.chat(session, [user("one")], { max_tokens: 500 });
  await until(() => proxy.engine.calls.length === 1);
  expect((await proxy.chat(session, [user("two")], { max_tokens: 500 })).refusal).toBe("503 store_full");
  expect(proxy.engine.calls).toHaveLength(1);
  release();
  expect((await first).status).toBe(200);
  expect((await proxy.chat(session, [user("three")], { max_tokens: 500 })).status).toBe(200);
});

test("a call whose channels exceed the bytes of its session is refused", async () => {
  const proxy = await start({
    sessionLimits: { tokens: UNLIMITED, calls: UNLIMITED, bytes: 30_000, concurrentCalls: UNLIMITED },
  });
  const session = await proxy.session();
  expect((await proxy.chat(session, [user("one")], { max_tokens: 500 })).refusal).toBe("403 session_limit");
  expect((await proxy.chat(session, [user("two")], { max_tokens: 50 })).status).toBe(200);
});

test("the reservation follows the length of earlier outputs, at most the limit of the call", async () => {
  const proxy = await start({ store: { bytes: 100 * LIMIT, highWater: 0.8 } });
  const without = ["routed_experts"];
  const none = await measureCall(proxy, {}, ALL);
  const { during: first } = await measureCall(proxy, {}, without);
  expect(first - none.during).toBeGreaterThan(900 * PER_OUTPUT);
  expect(first - none.during).toBeLessThanOrEqual(1024 * PER_OUTPUT);
  const session = await proxy.session();
  for (let i = 0; i < 200; i++) await proxy.chat(session, [user(`question ${i}`)]);
  const { during: later } = await measureCall(proxy, {}, without);
  // Outputs had three tokens.
  expect(later - none.during).toBeLessThan(10 * PER_OUTPUT);
});
