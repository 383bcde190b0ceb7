import { afterEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** The memory of earlier requests does not change what is recorded. */

const proxies: Proxy[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});

async function start(knownRequestBytes: number): Promise<Proxy> {
  const proxy = await Proxy.start({ settings: { knownRequestBytes } });
  proxy.engine.context = 1 << 20;
  proxies.push(proxy);
  return proxy;
}

// Longer than the size from which bodies are remembered.
const LONG = "the quick brown fox jumps over the lazy dog, ".repeat(500);
const text = (name: string) => `${name} \\"quoted\\" é 😀 ${LONG}`;

type Send = (proxy: Proxy, session: StartedSession, texts: readonly string[]) => Promise<unknown>;

const roles = (texts: readonly string[]) =>
  texts.map((content, i) => ({ role: i % 2 ? "assistant" : "user", content }));
const PROTOCOLS: Record<string, Send> = {
  chat: (proxy, session, texts) => proxy.chat(session, roles(texts)),
  responses: (proxy, session, texts) => proxy.post("/v1/responses", { input: roles(texts) }, session.key),
  messages: (proxy, session, texts) =>
    proxy.post("/v1/messages", { model: "tiny", max_tokens: 20, messages: roles(texts) }, session.key),
  generateContent: (proxy, session, texts) => {
    const contents = texts.map((content, i) => ({ role: i % 2 ? "model" : "user", parts: [{ text: content }] }));
    return proxy.post("/v1beta/models/tiny:generateContent", { contents }, session.key);
  },
};

/** Two alternating conversations, a conversation with a rewritten middle, and a repeated one. */
const [A, B, C, D, E, F] = ["a", "b", "c", "d", "e", "f"].map(text) as [string, string, string, string, string, string];
const REQUESTS = [
  [A],
  [A, B, C],
  [A, D, E],
  [A, B, C, D, E],
  [A, D, E, F, B],
  [A, B, F],
  [A, B, F],
  [F],
  [A, B, C, D, E, F, A],
];

describe.each(Object.entries(PROTOCOLS))("requests of %s", (_, send) => {
  it("give the engine the same prompts with and without known requests", async () => {
    const exports = [];
    for (const bytes of [0, 64 << 20]) {
      const proxy = await start(bytes);
      const session = await proxy.session();
      for (const texts of REQUESTS) expect(await send(proxy, session, texts)).toMatchObject({ status: 200 });
      expect(proxy.context.conversations.bytes > 1000).toBe(bytes > 0);
      const prompts = proxy.engine.calls.map(({ prompt }) => [...prompt.tokens()]);
      expect(prompts).toHaveLength(REQUESTS.length);
      exports.push(prompts);
    }
    expect(exports[1]).toEqual(exports[0]);
  });
});

describe("a body that begins with a byte order mark", () => {
  it.each(["short", LONG])("is read like any other body", async (content) => {
    const proxy = await start(64 << 20);
    const { key } = await proxy.session();
    const send = (mark: string) => {
      const payload = mark + JSON.stringify({ messages: [{ role: "user", content }] });
      const headers = { "content-type": "application/json" };
      return proxy.request({ method: "POST", url: "/v1/chat/completions", payload, headers }, key);
    };
    for (const mark of ["\uFEFF", "", "\uFEFF"]) expect(await send(mark)).toMatchObject({ status: 200 });
    const [first, ...others] = proxy.engine.calls.map(({ prompt }) => [...prompt.tokens()]);
    expect(others).toEqual([first, first]);
  });
});

describe("the memory of known requests", () => {
  it("is freed with its session", async () => {
    const proxy = await start(64 << 20);
    const session = await proxy.session();
    await proxy.chat(session, roles([A]));
    expect(proxy.context.conversations.bytes).toBeGreaterThan(LONG.length);
    await proxy.end(session);
    proxy.context.registry.get(session.id).free("exported");
    proxy.context.conversations.sweep();
    expect(proxy.context.conversations.bytes).toBe(0);
  });

  it("includes the objects of messages, which are the larger part of many short messages", async () => {
    const proxy = await start(64 << 20);
    const messages = roles(Array.from({ length: 2001 }, (_, i) => `${i}`));
    expect(await proxy.chat(await proxy.session(), messages)).toMatchObject({ status: 200 });
    expect(proxy.context.conversations.bytes).toBeGreaterThan(8 * JSON.stringify(messages).length);
  });

  it("stays below its limit", async () => {
    const proxy = await start(200_000);
    for (let i = 0; i < 5; i++) await proxy.chat(await proxy.session(), roles([text(`${i}`), B, C]));
    expect(proxy.context.conversations.bytes).toBeLessThanOrEqual(200_000);
  });
});
