import type { Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { SglangOptions } from "../../../src/engine/sglang/sglang-options.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startRaw } from "../../helpers/raw-server.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

const OPTIONS = { timeoutSeconds: 0, maxInflight: 4 };

function opened<T extends { close(): Promise<void> }>(item: T): T {
  open.push(item);
  return item;
}

const startUnread = async (onConnection: (socket: Socket) => void) => opened(await startRaw(onConnection));

/** Returns a key whose calls go to this server first. */
function keyFor(first: string, urls: readonly string[]): string {
  for (let n = 0; ; n++) if (rendezvousOrder(`key-${n}`, urls)[0] === first) return `key-${n}`;
}

/** Creates an engine with the server `first` and a healthy SGLang server, and a key whose calls go to `first`. */
async function enginePair(
  first: string,
  options: Partial<SglangOptions> = {},
): Promise<{ engine: Engine; key: string; second: SglangServer }> {
  const second = opened(await startSglangServer());
  const urls = [first, second.url];
  return { engine: opened(createSglangEngine({ ...OPTIONS, ...options, urls })), key: keyFor(first, urls), second };
}

/** Returns a URL on which no server listens. */
async function deadUrl(): Promise<string> {
  const server = await startSglangServer();
  await server.close();
  return server.url;
}

describe("a call goes to another server if its server did not begin with it", () => {
  it("because the connection is refused", async () => {
    const { engine, key, second } = await enginePair(await deadUrl());
    const call = makeCall([1, 2], { maxTokens: 3 }, { affinityKey: key });
    await engine.generate(call);
    expect(call.generation.length).toBe(3);
    expect(second.to("/generate")).toHaveLength(1);
    expect(engine.servers?.list().map(({ state }) => state)).toEqual(["down", "up"]);
  });

  it.each([
    [503, false],
    [503, true],
    [429, false],
    [429, true],
  ])("because the server answers %d, streamed: %s", async (status, streams) => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "status", status });
    const call = makeCall([1], {}, { affinityKey: key, ...(streams ? { onTokens: () => undefined } : {}) });
    await engine.generate(call);
    expect([first.to("/generate").length, second.to("/generate").length]).toEqual([1, 1]);
    expect(engine.servers?.list().map(({ state }) => state)).toEqual(["up", "up"]);
  });

  it("because a stream begins with the scheduler's refusal", async () => {
    const first = opened(await startSglangServer());
    const { engine, key } = await enginePair(first.url);
    first.fault({ kind: "abort-with-status", statusCode: 503 });
    const call = makeCall([1], { maxTokens: 4 }, { affinityKey: key, onTokens: () => undefined });
    await engine.generate(call);
    expect(call.generation.length).toBe(4);
  });

  it("because the connection breaks before the whole request was sent", async () => {
    const first = await startUnread((socket) => {
      socket.pause();
      setTimeout(() => socket.resetAndDestroy(), 20);
    });
    const { engine, key, second } = await enginePair(first.url);
    // More than the buffers of both sides can hold.
    const prompt = Array.from({ length: 2_000_000 }, (_, index) => 1_000_000 + (index % 7));
    const call = makeCall(prompt, { maxTokens: 2 }, { affinityKey: key });
    await expect(engine.generate(call)).rejects.toThrow(/longer than the model's context/);
    expect(second.to("/generate")).toHaveLength(1);
  });

  it("because the connection that replaces a stale one is refused", async () => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url, { maxInflight: 1, healthSeconds: 0 });
    first.scheduler.tokenMilliseconds = 50;
    const told: number[] = [];
    const lost = engine.generate(makeCall([1], {}, { affinityKey: key, onTokens: () => told.push(1) }));
    const waiting = makeCall([1], { maxTokens: 3 }, { affinityKey: key });
    const sentOn = engine.generate(waiting);
    await expect.poll(() => told.length).toBeGreaterThan(0);
    await Promise.all([first.close(), expect(lost).rejects.toMatchObject({ code: "engine_unavailable" })]);
    await sentOn;
    expect([waiting.generation.length, second.to("/generate").length]).toEqual([3, 1]);
  });

  it("because a vLLM server does not name its model", async () => {
    const second = opened(await startVllmServer());
    const urls = [await deadUrl(), second.url];
    const engine = opened(createVllmEngine({ ...OPTIONS, urls }));
    await engine.generate(makeCall([1], {}, { affinityKey: keyFor(urls[0] ?? "", urls) }));
    expect(second.to("/inference/v1/generate")).toHaveLength(1);
  });

  it("even if it is the rest of a generation that was cut", async () => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "abort", after: 2 });
    first.fault({ kind: "status", status: 503 });
    const call = makeCall([1, 2, 3], { maxTokens: 5 }, { affinityKey: key });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(call.generation.length).toBe(5);
    expect(second.to("/generate")[0]?.json["input_ids"]).toEqual([1, 2, 3, ...call.generation.ids().slice(0, 2)]);
  });
});

describe("a call goes to no other server if its server may have begun with it", () => {
  it("because the connection is reset after the whole request", async () => {
    const first = await startUnread((socket) => {
      socket.on("data", (data) => {
        if (data.includes('"rid"')) socket.resetAndDestroy();
      });
    });
    const { engine, key, second } = await enginePair(first.url);
    const failed = engine.generate(makeCall([1], {}, { affinityKey: key }));
    await expect(failed).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(second.to("/generate")).toHaveLength(0);
    expect(first.sockets.size).toBe(1);
  });

  it("because the reply breaks off", async () => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "close-after-headers" });
    await expect(engine.generate(makeCall([1], {}, { affinityKey: key }))).rejects.toMatchObject({
      code: "engine_unavailable",
    });
    first.fault({ kind: "close-in-stream", frames: 0 });
    const streamed = makeCall([1], {}, { affinityKey: key, onTokens: () => undefined });
    await expect(engine.generate(streamed)).rejects.toMatchObject({ code: "engine_unavailable" });
    expect(second.to("/generate")).toHaveLength(0);
  });

  it.each([
    [500, "engine_error"],
    [502, "engine_error"],
    [504, "engine_error"],
    [400, "engine_rejected_request"],
  ])("because the server answers %d", async (status, code) => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "status", status });
    await expect(engine.generate(makeCall([1], {}, { affinityKey: key }))).rejects.toMatchObject({ code });
    expect(second.to("/generate")).toHaveLength(0);
  });

  const ranOut = "Request running timeout reached.";
  it.each([false, true])("because the server says that the request ran out of time, streamed: %s", async (streams) => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "abort-with-status", statusCode: 503, message: ranOut });
    const rest = { affinityKey: key, ...(streams ? { onTokens: () => undefined } : {}) };
    const failed = engine.generate(makeCall([1], {}, rest));
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow(ranOut);
    expect(second.to("/generate")).toHaveLength(0);
  });

  it("because a stream is refused after it had tokens", async () => {
    const first = opened(await startSglangServer());
    const { engine, key, second } = await enginePair(first.url);
    first.fault({ kind: "abort-with-status", statusCode: 503, after: 2 });
    const call = makeCall([1], {}, { affinityKey: key, onTokens: () => undefined });
    await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
    expect(second.to("/generate")).toHaveLength(0);
  });
});

describe("a drained server", () => {
  it("has its cut generations resumed on another server", async () => {
    const first = opened(await startSglangServer({ tokenMilliseconds: 5 }));
    const { engine, key, second } = await enginePair(first.url);
    const call = makeCall([1, 2], { maxTokens: 8, stopTokenIds: [510] }, { affinityKey: key });
    const running = engine.generate(call);
    await expect.poll(() => first.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(1);
    const drained = engine.servers?.drain(first.url);
    first.scheduler.abort("", true);
    expect(await running).toMatchObject({ resumes: 1 });
    await drained;
    expect(call.generation.length).toBe(8);
    expect(second.to("/generate")).toHaveLength(1);
    engine.servers?.restore(first.url);
    first.scheduler.tokenMilliseconds = 0;
    await engine.generate(makeCall([1], {}, { affinityKey: key }));
    expect(first.to("/generate")).toHaveLength(2);
  });
});

describe("servers of a vLLM engine", () => {
  it("get the session in a header, so that routers in front of them can read it", async () => {
    const server: VllmServer = opened(await startVllmServer());
    const engine = opened(createVllmEngine({ ...OPTIONS, urls: [server.url] }));
    await engine.generate(makeCall([1], {}, { affinityKey: "tâche 7" }));
    const { headers } = server.to("/inference/v1/generate")[0] ?? {};
    expect(headers).toMatchObject({ "x-session-id": "t%C3%A2che 7", "x-smg-routing-key": "t%C3%A2che 7" });
  });

  it("get the trace of a call unchanged", async () => {
    const server: VllmServer = opened(await startVllmServer());
    const engine = opened(createVllmEngine({ ...OPTIONS, urls: [server.url] }));
    const traceHeaders = {
      traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      tracestate: "rojo=1",
    };
    await engine.generate({ ...makeCall([1]), traceHeaders });
    expect(server.to("/inference/v1/generate")[0]?.headers).toMatchObject(traceHeaders);
  });
});
