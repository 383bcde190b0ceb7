import { describe, expect, it, onTestFinished } from "vitest";
import type { GenerateCall } from "../../src/engine/engine.js";
import type { SessionLimits } from "../../src/server/limits/session-limits.js";
import type { WireExport } from "../helpers/export-json.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy, type ProxyOptions, type Reply, type StartedSession } from "../helpers/proxy.js";
import { openConnection, requestHead } from "../helpers/raw-connection.js";
import type { ScriptedEngine } from "../helpers/scripted-engine.js";
import { user } from "../helpers/turn.js";
import { until } from "../helpers/until.js";
import { writeModelFolder } from "../model/support/model-folder.js";

/** A session has limits of tokens, calls, bytes and concurrent calls. What it has recorded stays. */

const UNLIMITED = Number.POSITIVE_INFINITY;
const NO_LIMITS: SessionLimits = { tokens: UNLIMITED, calls: UNLIMITED, bytes: UNLIMITED, concurrentCalls: UNLIMITED };

const limitedTo = (limits: Partial<SessionLimits>): ProxyOptions<ScriptedEngine> => ({
  settings: { sessionLimits: { ...NO_LIMITS, ...limits } },
});

async function start(limits: Partial<SessionLimits>): Promise<Proxy> {
  const proxy = await Proxy.start(limitedTo(limits));
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Rewards, ends and exports the session, and returns the ids of what it recorded. */
async function finish(proxy: Proxy, session: StartedSession): Promise<string[]> {
  expect((await proxy.reward(session, 1)).status).toBe(200);
  expect((await proxy.end(session)).status).toBe(200);
  return Object.keys((await proxy.export(session)).json<WireExport>().interactions);
}

interface SessionRecord {
  readonly stored_tokens: number;
  readonly stored_bytes: number;
  readonly calls_in_flight: number;
}

const recordOf = async (proxy: Proxy, { id }: StartedSession): Promise<SessionRecord> =>
  (await proxy.request({ url: `/rl/sessions/${id}` })).json<SessionRecord>();

const idOf = (reply: Reply): string => reply.json<{ id: string }>().id;

/** Makes turns of one conversation until one is refused. Returns the ids of the recorded calls and the refusal. */
async function talkUntilRefused(proxy: Proxy, session: StartedSession): Promise<{ ids: string[]; refused: Reply }> {
  const ids: string[] = [];
  for (let messages: readonly object[] = []; ; ) {
    messages = [...messages, user(`question ${ids.length}`)];
    const reply = await proxy.chat(session, messages);
    if (reply.status !== 200) return { ids, refused: reply };
    ids.push(idOf(reply));
    messages = [...messages, reply.json<{ choices: [{ message: object }] }>().choices[0].message];
  }
}

describe("a session at a limit", () => {
  it.each<["calls" | "tokens" | "bytes", number]>([
    ["calls", 3],
    ["tokens", 200],
    ["bytes", 20_000],
  ])("of %s gets 403 without Retry-After, and its rewards, end and export work", async (limit, allowed) => {
    const proxy = await start({ [limit]: allowed });
    const session = await proxy.session();
    const { ids, refused } = await talkUntilRefused(proxy, session);
    expect(ids.length).toBeGreaterThan(1);
    expect(refused.refusal).toBe("403 session_limit");
    expect(refused.headers["retry-after"]).toBeUndefined();
    const { stored_tokens: tokens, stored_bytes: bytes } = await recordOf(proxy, session);
    const used = { calls: ids.length, tokens, bytes }[limit];
    expect(refused.error).toMatchObject({ limit: `max_session_${limit}`, allowed, used, type: "permission_error" });
    // How much native memory a call takes is only estimated before it is recorded.
    expect(used).toBeLessThanOrEqual(limit === "bytes" ? allowed * 1.01 : allowed);
    expect(proxy.engine.calls.length).toBe(ids.length);
    expect(await finish(proxy, session)).toEqual(ids);
  });

  it("of calls does not affect other sessions", async () => {
    const proxy = await start({ calls: 1 });
    for (const session of [await proxy.session(), await proxy.session()]) {
      expect((await talkUntilRefused(proxy, session)).ids).toHaveLength(1);
    }
  });

  it("of calls counts its calls in flight", async () => {
    const proxy = await start({ calls: 1 });
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const first = proxy.chat(session, [user("one")]);
    await until(() => proxy.engine.calls.length === 1);
    expect((await proxy.chat(session, [user("two")])).refusal).toBe("403 session_limit");
    release();
    expect(await finish(proxy, session)).toEqual([idOf(await first)]);
  });

  it("of calls does not count a call that failed", async () => {
    const proxy = await start({ calls: 1 });
    const session = await proxy.session();
    proxy.engine.replies.push(new Error("broken"));
    expect((await proxy.chat(session, [user("hello")])).status).toBe(500);
    expect((await proxy.chat(session, [user("hello")])).status).toBe(200);
  });

  it("of tokens counts its prompts in flight", async () => {
    const proxy = await start({ tokens: 100 });
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const calls = ["one", "two", "three", "four", "five", "six"].map((text) =>
      proxy.chat(session, [user(`${text} ${"word ".repeat(8)}`)]),
    );
    const replies = Promise.all(calls);
    await until(() => proxy.engine.calls.length > 0);
    await Promise.race(calls);
    release();
    const recorded = (await replies).filter(({ status }) => status === 200);
    expect(recorded.length).toBe(proxy.engine.calls.length);
    expect(recorded.length).toBeLessThan(calls.length);
    const prompts = proxy.engine.calls.reduce((sum, { prompt }) => sum + prompt.length, 0);
    expect(prompts).toBeLessThanOrEqual(100);
    expect((await finish(proxy, session)).sort()).toEqual(recorded.map(idOf).sort());
  });

  describe("of bytes counts what its calls in flight will keep:", () => {
    const BYTES = 100_000;
    const CALLS = 16;
    /** Memory of one short answer. It is known only when the call is recorded. */
    const OUTPUT_BYTES = 1500;
    const LONG = "x".repeat(10_000);
    const tools = [{ type: "function", name: "look", description: LONG, parameters: { type: "object" } }];

    it.each<[what: string, send: (proxy: Proxy, session: StartedSession, text: string) => Promise<Reply>]>([
      [
        "arguments of the chat template",
        (proxy, session, text) => proxy.chat(session, [user(text)], { chat_template_kwargs: { note: text + LONG } }),
      ],
      [
        "stored responses",
        (proxy, { key }, input) => proxy.post("/v1/responses", { model: "tiny", input, tools }, key),
      ],
      ["messages", (proxy, session, text) => proxy.chat(session, [user(text + LONG)])],
      ["small calls", (proxy, session, text) => proxy.chat(session, [user(text)])],
    ])("%s", async (_, send) => {
      const proxy = await start({ bytes: BYTES });
      const session = await proxy.session();
      for (let round = 0, refused = 0; refused === 0; round++) {
        const release = proxy.engine.hold();
        const [before, answered] = [proxy.engine.calls.length, { count: 0 }];
        const calls = Array.from({ length: CALLS }, async (_, i) => {
          const reply = await send(proxy, session, `question ${round}.${i}`);
          answered.count++;
          return reply;
        });
        await until(() => proxy.engine.calls.length - before + answered.count === CALLS);
        release();
        const refusals = (await Promise.all(calls))
          .map(({ refusal }) => refusal)
          .filter((refusal) => refusal !== "200");
        expect(refusals).toEqual(refusals.map(() => "403 session_limit"));
        refused = refusals.length;
        proxy.engine.pass();
      }
      const { stored_bytes: used } = await recordOf(proxy, session);
      expect(used).toBeLessThanOrEqual(BYTES + CALLS * OUTPUT_BYTES);
    });
  });

  it("of tokens counts the whole prompt if its tools differ from those of the call before", async () => {
    const proxy = await start({ tokens: 1000 });
    const session = await proxy.session();
    const { messages } = await proxy.turn(session, [user("word ".repeat(50))]);
    const release = proxy.engine.hold();
    const calls = ["a", "b", "c", "d", "e", "f", "g", "h"].map((name) =>
      proxy.chat(session, [...messages, user("go on")], { tools: [{ type: "function", function: { name } }] }),
    );
    await Promise.race(calls);
    release();
    const refusals = (await Promise.all(calls)).map(({ refusal }) => refusal);
    expect(refusals).toContain("403 session_limit");
    const outputs = refusals.length * proxy.engine.fallback.ids.length;
    expect((await recordOf(proxy, session)).stored_tokens).toBeLessThanOrEqual(1000 + outputs);
  });

  it("of tokens counts what the chat template renders differently than before", async () => {
    // Like templates that leave out the reasoning of earlier turns.
    const shown = "{% if m.role == 'user' %}{{ m.content }}{% endif %}";
    const template = `{% for m in messages %}<|{{ m.role }}|>${shown}<|end|>{% endfor %}<|assistant|>`;
    const folder = writeModelFolder(template, ["<|end|>"]);
    const proxy = await Proxy.start({ ...limitedTo({ tokens: 120 }), folder });
    onTestFinished(() => proxy.close());
    proxy.engine.fallback = { ids: [70, 71] };
    const session = await proxy.session();
    proxy.engine.replies.push({ ids: Array.from({ length: 60 }, () => 70) });
    const { messages } = await proxy.turn(session, [user("hello")]);
    const refused = await proxy.chat(session, [...messages, user("x".repeat(60))]);
    expect(refused.refusal).toBe("403 session_limit");
    expect(proxy.engine.calls).toHaveLength(1);
    expect((await proxy.chat(session, [...messages, user("x".repeat(20))])).status).toBe(200);
  });

  it("of tokens gets an error in Anthropic's shape on /v1/messages, and can still count tokens", async () => {
    const proxy = await start({ tokens: 1 });
    const { key } = await proxy.session();
    const body = { model: "tiny", max_tokens: 8, messages: [user("hello")] };
    const reply = await proxy.post("/v1/messages", body, key);
    expect(reply.status).toBe(403);
    expect(reply.json()).toMatchObject({ type: "error", error: { type: "permission_error", code: "session_limit" } });
    const count = { model: "tiny", messages: [user("hello")] };
    expect((await proxy.post("/v1/messages/count_tokens", count, key)).status).toBe(200);
  });
});

it("counts the tokens that a call shares with its parent once", async () => {
  const proxy = await Proxy.start({ settings: { chatTemplateType: "concat" } });
  onTestFinished(() => proxy.close());
  const session = await proxy.session();
  const first = await proxy.turn(session, [user("hello")]);
  await proxy.turn(session, [...first.messages, user("go on")]);
  const { prompt } = proxy.engine.calls[1] as GenerateCall;
  expect((await recordOf(proxy, session)).stored_tokens).toBe(prompt.length + proxy.engine.fallback.ids.length);
});

describe("calls in flight", () => {
  it("that only count tokens are limited, even if the session has ended", async () => {
    const proxy = await start({ concurrentCalls: 1 });
    const session = await proxy.session();
    await proxy.end(session);
    const count = () =>
      proxy.post("/v1/messages/count_tokens", { model: "tiny", messages: [user("hello")] }, session.key);
    const replies = await Promise.all([count(), count()]);
    expect(replies.map(({ refusal }) => refusal).sort()).toEqual(["200", "429 too_many_calls"]);
    expect((await count()).status).toBe(200);
  });

  it("are limited for each session with 429 and Retry-After", async () => {
    const proxy = await start({ concurrentCalls: 2 });
    const [session, other] = [await proxy.session(), await proxy.session()];
    const release = proxy.engine.hold();
    const calls = ["one", "two"].map((text) => proxy.chat(session, [user(text)]));
    await until(() => proxy.engine.calls.length === 2);
    const refused = await proxy.chat(session, [user("three")]);
    expect(refused.refusal).toBe("429 too_many_calls");
    expect(refused.headers["retry-after"]).toBe("1");
    expect(refused.error).toMatchObject({ limit: "max_concurrent_calls", allowed: 2, used: 2 });
    calls.push(proxy.chat(other, [user("hello")]));
    await until(() => proxy.engine.calls.length === 3);
    release();
    const [one, two] = await Promise.all(calls);
    proxy.engine.pass();
    const three = await proxy.chat(session, [user("three")]);
    expect(await finish(proxy, session)).toEqual([one, two, three].map((reply) => idOf(reply as Reply)));
  });

  it("count a call with several answers once for each, and say so", async () => {
    const proxy = await start({ concurrentCalls: 2 });
    const session = await proxy.session();
    const release = proxy.engine.hold();
    const first = proxy.chat(session, [user("one")]);
    await until(() => proxy.engine.calls.length === 1);
    const refused = await proxy.chat(session, [user("two")], { n: 2 });
    expect(refused.refusal).toBe("429 too_many_calls");
    expect(refused.error).toMatchObject({ allowed: 2, used: 1 });
    expect(refused.error.message).toContain("Each answer that this call asks for counts as one more.");
    release();
    expect((await first).status).toBe(200);
  });

  it("cannot be exceeded by the answers of one call: 400, because waiting does not help", async () => {
    const proxy = await start({ concurrentCalls: 2 });
    const session = await proxy.session();
    const refused = await proxy.chat(session, [user("three")], { n: 3 });
    expect(refused.refusal).toBe("400 invalid_value");
    expect(refused.headers["retry-after"]).toBeUndefined();
    expect(refused.error.message).toContain("at most 2 (server.max_concurrent_calls)");
    expect(refused.error.message).toContain("received 3");
    expect((await recordOf(proxy, session)).calls_in_flight).toBe(0);
    expect((await proxy.chat(session, [user("two")], { n: 2 })).status).toBe(200);
  });

  it("count from their headers until the client disconnects", async () => {
    const { proxy, url } = await listeningProxy(limitedTo({ concurrentCalls: 1 }));
    const session = await proxy.session();
    const head = requestHead(
      "POST",
      "/v1/chat/completions",
      `authorization: Bearer ${session.key}`,
      "content-type: application/json",
      "content-length: 100",
    );
    const { socket } = await openConnection(new URL(url).port, `${head}{`);
    await expect.poll(async () => (await proxy.chat(session, [user("a")])).refusal).toBe("429 too_many_calls");
    socket.destroy();
    await expect.poll(async () => (await proxy.chat(session, [user("b")])).refusal).toBe("200");
  });

  it("stop counting when they are refused because of their body", async () => {
    const proxy = await start({ concurrentCalls: 1 });
    const session = await proxy.session();
    for (let i = 0; i < 3; i++) {
      expect((await proxy.post("/v1/chat/completions", { messages: 5 }, session.key)).refusal).toBe(
        "400 invalid_value",
      );
    }
    expect((await proxy.chat(session, [user("hello")])).status).toBe(200);
  });
});

it("refuses a call of an ended session because it has ended, even if a limit is reached", async () => {
  const proxy = await start({ calls: 1 });
  const session = await proxy.session();
  await proxy.chat(session, [user("hello")]);
  await proxy.end(session);
  expect((await proxy.chat(session, [user("hello")])).refusal).toBe("409 session_ended");
});

it("counts refusals by their code", async () => {
  const proxy = await start({ calls: 1 });
  const session = await proxy.session();
  await talkUntilRefused(proxy, session);
  await proxy.chat(session, [user("hello")]);
  const metrics = (await proxy.request({ url: "/metrics" })).raw.toString();
  expect(readSample(metrics, 'rolltape_refused_total{code="session_limit"}')).toBe(2);
});
