import { afterEach, describe, expect, it, vi } from "vitest";
import type { Engine, Grammar } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const item of open.splice(0).reverse()) await item.close();
});

const OPTIONS = { timeoutSeconds: 0, maxInflight: 8 };
const grammar: Grammar = { kind: "json_schema", schema: '{"type":"object"}' };
const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 100 }, (_, index) => 100 + inputLength + index);

async function startSglang(options: Parameters<typeof startSglangServer>[0] = {}) {
  const server = await startSglangServer({ complete, ...options });
  const engine = createSglangEngine({ ...OPTIONS, urls: [server.url] });
  open.push(server, engine);
  return { server, engine };
}

const requests = (server: SglangServer) => server.to("/generate").length;

describe("an abort without a status code", () => {
  it("fails a call with a grammar, because a failed grammar step aborts like this", async () => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort", after: 3 }, 1000);
    const failed = engine.generate(makeCall(makePrompt(5), { maxTokens: 12, grammar }));
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow(/Aborted.*grammar/s);
    expect(requests(server)).toBe(1);
  });

  it.each(["NaN in the logits", "Input is too odd"])("fails the call if its message is %j", async (message) => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort-saying", message, after: 3 }, 1000);
    const failed = engine.generate(makeCall(makePrompt(5), { maxTokens: 12 }));
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow(message);
    expect(requests(server)).toBe(1);
  });

  it.each(["Aborted", "Abort in waiting queue", "Abort before prefill", "Generation paused for a weight update"])(
    "is resumed if its message is %j and the call has no grammar",
    async (message) => {
      const { server, engine } = await startSglang();
      server.fault({ kind: "abort-saying", message, after: 3 });
      const call = makeCall(makePrompt(5), { maxTokens: 12 });
      expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
      expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 12 }, (_, index) => 105 + index));
    },
  );

  it("is resumed if the request was still in the waiting queue, even with a grammar", async () => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort-in-queue" });
    expect(await engine.generate(makeCall(makePrompt(5), { maxTokens: 4, grammar }))).toMatchObject({ resumes: 1 });
  });

  it("is resumed if the trainer has set a new version, even with a grammar", async () => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort", after: 3 });
    let version = 1;
    const call = makeCall(makePrompt(5), { maxTokens: 4, grammar }, { currentVersion: () => version++ });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
  });

  it("is resumed if the server has a new version, even with a grammar", async () => {
    const { server, engine } = await startSglang({
      weightVersion: "7",
      weightVersionSpans: true,
      tokenMilliseconds: 4,
    });
    const running = engine.generate(makeCall(makePrompt(5), { maxTokens: 40, grammar }));
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(2);
    // SGLang aborts every request by default when its version is set.
    await fetch(`${server.url}/update_weight_version`, { method: "POST", body: '{"new_version":"8"}' });
    expect(await running).toMatchObject({ resumes: 1 });
  });

  it("is resumed if this proxy has paused the engine, even with a grammar", async () => {
    const { server, engine } = await startSglang({ tokenMilliseconds: 4 });
    const running = engine.generate(makeCall(makePrompt(5), { maxTokens: 40, grammar }));
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(2);
    await engine.servers?.pause("abort");
    await engine.servers?.resume();
    expect(await running).toMatchObject({ resumes: 1 });
  });
});

describe("vLLM's abort", () => {
  async function startVllm(): Promise<{ engine: Engine; server: Awaited<ReturnType<typeof startVllmServer>> }> {
    const server = await startVllmServer({ complete, tokenMilliseconds: 2 });
    const engine = createVllmEngine({ ...OPTIONS, urls: [server.url] });
    open.push(server, engine);
    return { server, engine };
  }

  it("restarts a call with a grammar, because a failed grammar step does not abort", async () => {
    const { server, engine } = await startVllm();
    server.fault({ kind: "abort", after: 3 });
    const call = makeCall(makePrompt(5), { maxTokens: 12, grammar });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 12 }, (_, index) => 105 + index));
    expect(server.to("/inference/v1/generate").map(({ json }) => json["token_ids"])).toEqual([
      makePrompt(5),
      makePrompt(5),
    ]);
  });

  it("fails a streamed call with a grammar, because its beginning was sent", async () => {
    const { server, engine } = await startVllm();
    server.fault({ kind: "abort", after: 3 });
    const call = makeCall(makePrompt(5), { maxTokens: 12, grammar }, { onTokens: () => undefined });
    const failed = engine.generate(call);
    await expect(failed).rejects.toMatchObject({ code: "engine_error" });
    await expect(failed).rejects.toThrow("its beginning was sent");
    expect(server.to("/inference/v1/generate")).toHaveLength(1);
  });

  it("is resumed if a trainer pauses the server directly, even with a grammar", async () => {
    const { server, engine } = await startVllm();
    const running = engine.generate(makeCall(makePrompt(5), { maxTokens: 60, grammar }));
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(2);
    await fetch(`${server.url}/pause?mode=abort`, { method: "POST" });
    await expect.poll(() => server.to("/inference/v1/generate").length).toBe(2);
    await fetch(`${server.url}/resume`, { method: "POST" });
    expect(await running).toMatchObject({ resumes: 1 });
  });
});

describe("a server that aborts every request", () => {
  it("gets restarts at growing intervals; the call fails after 30 without a pause or a new version", async () => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort", after: 1 }, 1000);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const outcome = engine.generate(makeCall(makePrompt(5), { maxTokens: 90 })).catch((error: unknown) => error);
    let error: unknown;
    void outcome.then((reason) => {
      error = reason;
    });
    while (error === undefined) {
      await vi.advanceTimersByTimeAsync(5_000);
      await new Promise(setImmediate);
    }
    expect(error).toMatchObject({ code: "engine_error", message: expect.stringContaining("30 times") });
    expect(requests(server)).toBe(31);
  });

  it("gets only a few requests per second", async () => {
    const { server, engine } = await startSglang();
    server.fault({ kind: "abort", after: 1 }, 1000);
    const controller = new AbortController();
    const running = engine.generate(makeCall(makePrompt(5), { maxTokens: 90 }), controller.signal);
    setTimeout(() => controller.abort(new Error("left")), 1_000);
    await expect(running).rejects.toThrow("left");
    expect(requests(server)).toBeLessThan(8);
  });
});
