import { describe, expect, it } from "vitest";
import { captureLog } from "../helpers/captured-log.js";
import { Gateway, startWorker } from "./workers.js";

/** Calls of Gemini's API through a gateway. */

const PATH = "/v1beta/models/tiny:generateContent";
const BODY = { contents: [{ parts: [{ text: "hello" }] }] };

const call = (headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(BODY),
});
const withKey = (path: string, key: string) => `${path}?key=${encodeURIComponent(key)}`;

describe("a call of Gemini's API", () => {
  it("goes to the worker of its key, in x-goog-api-key or in the query", async () => {
    const workers = [await startWorker("one"), await startWorker("two")];
    const gateway = await Gateway.start({ urls: workers.map(({ url }) => url) });
    const sessions = [await gateway.session(), await gateway.session()];
    for (const { key } of sessions) {
      expect((await gateway.send(PATH, call({ "x-goog-api-key": key }), null)).status).toBe(200);
      expect((await gateway.send(withKey(PATH, key), call(), null)).status).toBe(200);
      expect((await gateway.send(withKey(PATH.replace("v1beta", "v1"), key), call(), null)).status).toBe(200);
    }
    expect(workers.map(({ proxy }) => proxy.engine.calls.length)).toEqual([3, 3]);
  });

  it("gets errors of the gateway and of its workers in Google's shape", async () => {
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] });
    const { key } = await gateway.session();
    const unknown = await gateway.send(PATH, call(), `${key}x`);
    expect(unknown.json()).toMatchObject({ error: { code: 401, status: "UNAUTHENTICATED" } });
    const malformed = await gateway.get("/v1beta/models/%zz", key);
    expect(malformed.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
    await worker.kill();
    const { headers, ...lost } = await gateway.send(PATH, call(), key);
    expect(headers["retry-after"]).toBe("5");
    expect(JSON.parse(lost.raw.toString())).toMatchObject({ error: { code: 503, status: "UNAVAILABLE" } });
  });

  it("leaves no key in the log, also if it fails", async () => {
    const log = captureLog({ level: "trace" });
    const worker = await startWorker("one");
    const gateway = await Gateway.start({ urls: [worker.url] }, 60, 1 << 26, true, { logger: log.logger });
    const { key } = await gateway.session();
    expect((await gateway.send(withKey(PATH, key), call(), null)).status).toBe(200);
    for (const path of ["/v1beta/nothing", "/v1beta/models/%zz", PATH]) {
      expect((await gateway.send(withKey(path, `${key}x`), call(), null)).raw.toString()).not.toContain(key);
    }
    await worker.kill();
    expect((await gateway.send(withKey(PATH, key), call(), null)).status).toBe(503);
    expect(log.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(log.lines)).not.toContain(key);
  });
});
