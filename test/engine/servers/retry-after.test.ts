import { afterEach, describe, expect, it, vi } from "vitest";
import { retryAfterMilliseconds } from "../../../src/engine/servers/wire/errors.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(count: number, timeoutSeconds = 0) {
  const servers = await Promise.all(Array.from({ length: count }, () => startSglangServer()));
  const urls = servers.map(({ url }) => url);
  const engine = createSglangEngine({ urls, timeoutSeconds, maxInflight: 2, healthSeconds: 0 });
  open.push(...servers, engine);
  const requests = () => servers.reduce((sum, server) => sum + server.to("/generate").length, 0);
  return { servers, engine, requests };
}

const refusal = (status: number, retryAfter: string) => ({ kind: "status", status, retryAfter }) as const;

describe("a call that every server refuses temporarily", () => {
  it.each([429, 503])("is sent again at the time that the servers name, status %d", async (status) => {
    const { servers, engine, requests } = await start(2);
    for (const server of servers) server.fault(refusal(status, "0"), 3);
    const call = makeCall([1, 2], { maxTokens: 3 });
    await engine.generate(call);
    expect(call.generation.length).toBe(3);
    expect(requests()).toBe(7);
  });

  it("waits for the server with the earliest time", async () => {
    const { servers, engine, requests } = await start(2);
    servers[0]?.fault(refusal(503, "3600"));
    servers[1]?.fault(refusal(503, "0"));
    await engine.generate(makeCall([1]));
    expect(requests()).toBe(3);
  });

  it("fails if no server names a time", async () => {
    const { servers, engine, requests } = await start(1);
    servers[0]?.fault({ kind: "status", status: 503 });
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_error" });
    expect(requests()).toBe(1);
  });

  it("ends at its time limit", async () => {
    const { servers, engine } = await start(1, 0.05);
    servers[0]?.fault(refusal(503, "30"));
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_timeout" });
  });

  it("ends when its client disconnects", async () => {
    const { servers, engine, requests } = await start(1);
    servers[0]?.fault(refusal(503, "30"));
    const controller = new AbortController();
    const leaving = engine.generate(makeCall([1]), controller.signal);
    await expect.poll(requests).toBe(1);
    controller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
  });
});

describe("retryAfterMilliseconds", () => {
  it("reads seconds or a date, limited to a minute", () => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12, 0, 0) });
    const header = ["5", " 0 ", "86400", "Thu, 01 Jan 2026 12:00:07 GMT", "Thu, 01 Jan 2026 11:00:00 GMT"];
    expect(header.map(retryAfterMilliseconds)).toEqual([5000, 0, 60_000, 7000, 0]);
    expect(["", "soon", "-1x", "1.5e"].map(retryAfterMilliseconds)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
