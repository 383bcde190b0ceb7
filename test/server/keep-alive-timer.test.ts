import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../../src/engine/engine.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { RawClient } from "../helpers/raw-client.js";
import { until } from "../helpers/until.js";

/** Each stream has an interval timer that keeps its connection alive. If it were not stopped, it would run as long as the server. */

const messages = [{ role: "user", content: "hello" }];
const IDS = [300, 301, 302, 303];

let proxy: Proxy;
let session: StartedSession;
beforeEach(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await proxy.close();
});

/** Number of timers while the engine runs the call. */
let timers = 0;
const noteTimers = () => void (timers = vi.getTimerCount());

describe("the keep-alive timer of a stream ends when", () => {
  it("the answer was sent", async () => {
    proxy.engine.replies.push({ ids: IDS, beforeFrame: noteTimers });
    expect((await proxy.chat(session, messages, { stream: true })).raw.toString()).toContain("[DONE]");
    expect([timers, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("the call failed before its first output", async () => {
    proxy.engine.replies.push(new EngineError("engine_unavailable", "connection refused"));
    expect((await proxy.chat(session, messages, { stream: true })).refusal).toBe("502 engine_unavailable");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("the call failed after its first output", async () => {
    const beforeFrame = (frame: number) => {
      noteTimers();
      if (frame === 1) throw new EngineError("engine_error", "it broke");
    };
    proxy.engine.replies.push({ ids: IDS, perFrame: 3, beforeFrame });
    expect((await proxy.chat(session, messages, { stream: true })).raw.toString()).toContain("engine_error");
    expect([timers, vi.getTimerCount()]).toEqual([1, 0]);
  });

  it("the client left", async () => {
    const url = new URL(await proxy.app.listen({ host: "127.0.0.1", port: 0 }));
    const release = proxy.engine.hold();
    const client = new RawClient(url, session);
    client.send({ path: "/v1/chat/completions", body: { messages, stream: true } });
    await until(() => proxy.engine.calls.length === 1);
    noteTimers();
    client.leave();
    const { calls } = proxy.context.registry.get(session.id);
    await until(() => calls.size === 0);
    // The other timer checks the connections.
    expect([timers, vi.getTimerCount()]).toEqual([2, 1]);
    release();
  });
});
