import { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { PEAK_OF_BODY } from "../../src/server/limits/process-memory.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import { readSample } from "../helpers/metrics-text.js";
import { Proxy } from "../helpers/proxy.js";
import { user } from "../helpers/turn.js";
import { until } from "../helpers/until.js";

/** A body is refused before its memory is allocated if the process has no room for its peak. */

const heap = { read: () => ({ used: 0, limit: 2 ** 40 }), collect: () => undefined };
const BODY = 100_000;
const text = (bytes = BODY) => [user("word ".repeat(bytes / 5))];

async function start(room: number) {
  const memory = { used: 1000, limit: 1000 + room };
  const server = await listeningProxy({ settings: { heap, memory, knownRequestBytes: 0 } });
  server.proxy.engine.context = 1 << 20;
  const session = await server.proxy.session();
  return { ...server, memory, session };
}

describe("a call without room for the peak of its body", () => {
  it("gets 503 with Retry-After, and shorter calls are answered", async () => {
    const { proxy, session } = await start(PEAK_OF_BODY * BODY);
    const reply = await proxy.chat(session, text());
    expect([reply.refusal, reply.headers["retry-after"]]).toEqual(["503 store_full", "5"]);
    expect(reply.error).toMatchObject({ resource: "process" });
    expect((await proxy.chat(session, text(BODY / 2))).status).toBe(200);
  });

  it("gets 503 too if its body declares no size", async () => {
    const { url, session, proxy } = await start(PEAK_OF_BODY * BODY);
    const send = async (bytes: number) => {
      const body = Readable.toWeb(Readable.from([JSON.stringify({ messages: text(bytes) })]));
      const headers = { authorization: `Bearer ${session.key}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body, duplex: "half" } as unknown as RequestInit;
      return (await fetch(`${url}/v1/chat/completions`, init)).status;
    };
    expect([await send(BODY), await send(BODY / 2)]).toEqual([503, 200]);
    expect(proxy.engine.calls).toHaveLength(1);
  });

  it("is answered once the heap's garbage is collected", async () => {
    let garbage = 1 << 20;
    const memory = {
      limit: 3 * PEAK_OF_BODY * BODY,
      get used() {
        return 2 * PEAK_OF_BODY * BODY + garbage;
      },
    };
    const collected = { read: () => ({ used: garbage, limit: 2 ** 40 }), collect: () => void (garbage = 0) };
    const proxy = await Proxy.start({ settings: { heap: collected, memory, knownRequestBytes: 0 } });
    onTestFinished(() => proxy.close());
    proxy.engine.context = 1 << 20;
    expect((await proxy.chat(await proxy.session(), text(0.9 * BODY))).status).toBe(200);
    expect(garbage).toBe(0);
  });
});

it("counts a body until its prompt is built, not while the engine generates", async () => {
  const { proxy, session } = await start(1.5 * PEAK_OF_BODY * BODY);
  const release = proxy.engine.hold();
  const first = proxy.chat(session, text());
  await until(() => proxy.engine.calls.length === 1);
  const second = proxy.chat(session, text());
  await until(() => proxy.engine.calls.length === 2);
  release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

it("counts bodies that are being received together", async () => {
  const { url, proxy, session } = await start(1.5 * PEAK_OF_BODY * BODY);
  const headers = { authorization: `Bearer ${session.key}`, "content-type": "application/json" };
  const { request } = await import("node:http");
  const slow = request(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { ...headers, "content-length": BODY },
  });
  slow.on("error", () => undefined);
  slow.write("{");
  const used = async () =>
    readSample((await proxy.request({ url: "/metrics" })).raw.toString(), "rolltape_body_bytes_in_flight");
  await expect.poll(used).toBe(BODY);
  expect((await proxy.chat(session, text())).refusal).toBe("503 store_full");
  slow.destroy();
  await expect.poll(used).toBe(0);
  await expect.poll(async () => (await proxy.chat(session, text())).status).toBe(200);
});
