import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { Gateway, startWorker } from "../gateway/workers.js";
import { ADMIN_KEY, Proxy } from "../helpers/proxy.js";

/** `/s/{key}/…`: calls of programs that can send no key. */

const messages = [{ role: "user", content: "hello" }];

/** Starts a proxy with an access log. `lines` has what it logs. */
async function start() {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  const proxy = await Proxy.start({ logger, settings: { accessLog: true } });
  onTestFinished(() => proxy.close());
  return { proxy, lines, session: await proxy.session() };
}

describe("a path that begins with /s/{session key}", () => {
  it.each([
    ["/v1/chat/completions", { messages }],
    ["/chat/completions", { messages }],
    ["/v1/responses", { input: "hello" }],
    ["/v1/messages", { messages, max_tokens: 9 }],
    ["/v1beta/models/tiny:generateContent", { contents: [{ role: "user", parts: [{ text: "hello" }] }] }],
    ["/v1beta/models/tiny:streamGenerateContent?alt=sse", { contents: [{ role: "user", parts: [{ text: "hello" }] }] }],
  ])("is the call %s with that key", async (path, body) => {
    const { proxy, session } = await start();
    expect((await proxy.post(`/s/${session.key}${path}`, body, null)).refusal).toBe("200");
    expect(proxy.context.registry.get(session.id).interactionCount).toBe(1);
  });

  it("replaces placeholder keys in headers and in Google's query", async () => {
    const { proxy, session } = await start();
    const headers = {
      authorization: "Bearer placeholder",
      "x-api-key": "placeholder",
      "x-goog-api-key": "placeholder",
    };
    const url = `/s/${session.key}/v1/chat/completions`;
    const reply = await proxy.request({ method: "POST", url, payload: { messages }, headers }, null);
    expect(reply.refusal).toBe("200");
    const google = `/s/${session.key}/v1beta/models/tiny:generateContent?key=placeholder`;
    const contents = [{ role: "user", parts: [{ text: "hello" }] }];
    expect((await proxy.post(google, { contents }, null)).refusal).toBe("200");
  });

  it("works for rewards and the end of the session, and in other spellings", async () => {
    const { proxy, session } = await start();
    await proxy.turn(session, messages);
    expect((await proxy.post(`//s/${session.key}//rl/set_reward/`, { reward: 1 }, null)).status).toBe(200);
    const encoded = encodeURIComponent(session.key).replace("-", "%2d");
    expect((await proxy.post(`/s/${encoded}/rl/end_session`, {}, null)).status).toBe(200);
  });

  it("has the error of the call if the key is unknown, in the form of its API", async () => {
    const { proxy } = await start();
    const reply = await proxy.post("/s/sk-unknown/v1/messages", { messages, max_tokens: 9 }, null);
    expect([reply.status, reply.json<{ type: string }>().type]).toEqual([401, "error"]);
    for (const path of ["/s/%0a/v1/models", "/s/%ff/v1/models"])
      expect((await proxy.request({ url: path }, null)).refusal).toBe("401 invalid_api_key");
  });

  it("refuses the admin key, also for calls of the admin", async () => {
    const { proxy } = await start();
    for (const path of ["/grant_capacity", "/v1/chat/completions"]) {
      const reply = await proxy.post(`/s/${ADMIN_KEY}${path}`, {}, null);
      expect([reply.refusal, reply.error.message]).toEqual(["403 wrong_key_kind", expect.stringContaining("path")]);
    }
  });

  it("leaves no key in logs, metrics and errors", async () => {
    const { proxy, session, lines } = await start();
    const url = `/s/${session.key}/v1/chat/completions`;
    await proxy.post(url, { messages }, null);
    await proxy.post(url, { messages: "none" }, null);
    const unrouted = await proxy.post(`/s/${session.key}/nothing/here?x=1`, {}, null);
    expect([unrouted.status, unrouted.raw.toString()]).toEqual([404, expect.not.stringContaining(session.key)]);
    const malformed = await proxy.request({ url: `/s/${session.key}/v1beta/%zz` }, null);
    expect([malformed.status, malformed.raw.toString()]).toEqual([404, expect.not.stringContaining(session.key)]);
    expect(malformed.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
    proxy.engine.replies.push(new Error("engine broke"));
    await proxy.post(url, { messages }, null);
    const metrics = (await proxy.request({ url: "/metrics" })).raw.toString();
    expect(metrics).toContain('route="/v1/chat/completions"');
    expect(lines.join("")).toContain('"path":"/v1/chat/completions"');
    for (const text of [metrics, lines.join("")]) expect(text).not.toContain(session.key);
  });

  it("works through a gateway, whose log and workers do not see the key in a path", async () => {
    const lines: string[] = [];
    const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
    const workers = [await startWorker("one"), await startWorker("two")];
    const urls = workers.map(({ url }) => url);
    const gateway = await Gateway.start({ urls }, 60, 1 << 26, true, { logger, accessLog: true });
    const sessions = [await gateway.session(), await gateway.session()];
    for (const { key } of sessions) {
      const body = { model: "tiny", messages };
      const headers = { "x-api-key": "placeholder", "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(body) };
      expect((await gateway.send(`/s/${key}/v1/chat/completions`, init, null)).refusal).toBe("200");
      expect((await gateway.send(`/s/${key}/nothing`, {}, null)).status).toBe(404);
    }
    expect(workers.map(({ proxy }) => proxy.engine.calls.length)).toEqual([1, 1]);
    expect((await gateway.post(`/s/${ADMIN_KEY}/grant_capacity`, {}, null)).refusal).toBe("403 wrong_key_kind");
    const metrics = (await gateway.get("/metrics", null)).raw.toString();
    for (const { key } of sessions) for (const text of [metrics, lines.join("")]) expect(text).not.toContain(key);
  });
});
