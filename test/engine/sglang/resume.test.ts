import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

let server: SglangServer;
let engine: Engine;

async function start(options: SglangServerOptions = {}): Promise<void> {
  const complete: SglangServerOptions["complete"] = ({ inputLength }) =>
    Array.from({ length: 400 }, (_, index) => 100 + inputLength + index);
  server = await startSglangServer({ complete, ...options });
  engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
}

beforeEach(() => start());
afterEach(async () => {
  await engine.close();
  await server.close();
});

/** Resolves when a generation is running. */
async function someTokens(): Promise<void> {
  await expect.poll(() => server.scheduler.pendingTokens, { interval: 2 }).toBeGreaterThan(2);
}

async function control(path: string, body: object): Promise<void> {
  await fetch(`${server.url}${path}`, { method: "POST", body: JSON.stringify(body) });
}

describe("a generation cut by a weight update", () => {
  it("continues from prompt and partial output with the rest of the token budget", async () => {
    const prompt = makePrompt(10);
    server.fault({ kind: "abort", after: 4 });
    server.fault({ kind: "abort", after: 3 });
    const call = makeCall(prompt, { maxTokens: 12, topLogprobs: 2, seed: 9 });
    const result = await engine.generate(call);
    expect(result).toMatchObject({ resumes: 2, finish: { reason: "length" } });
    const ids = Array.from(call.generation.ids());
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => 110 + index));
    const requests = server.to("/generate").map(({ json }) => json);
    expect(requests.map((json) => json["input_ids"])).toEqual([
      prompt,
      [...prompt, ...ids.slice(0, 4)],
      [...prompt, ...ids.slice(0, 7)],
    ]);
    expect(requests.map((json) => Object(json["sampling_params"]).max_new_tokens)).toEqual([12, 8, 5]);
    expect(new Set(requests.map((json) => json["rid"])).size).toBe(3);
    expect(call.generation.top()?.ids).toHaveLength(24);
  });

  it("records for each token the version that was current when its request was sent", async () => {
    server.fault({ kind: "abort", after: 2 });
    let version = 1;
    const call = makeCall(makePrompt(5), { maxTokens: 5 }, { currentVersion: () => version });
    const running = engine.generate(call);
    await expect.poll(() => call.generation.length, { interval: 1 }).toBe(2);
    version = 2;
    await running;
    expect(Array.from(call.generation.versions())).toEqual([1, 1, 2, 2, 2]);
  });

  it("records the engine's spans of versions if it reports them", async () => {
    await engine.close();
    await server.close();
    await start({ weightVersionSpans: true, weightVersion: "7", tokenMilliseconds: 5 });
    const call = makeCall(makePrompt(5), { maxTokens: 300 });
    const running = engine.generate(call);
    await someTokens();
    await control("/update_weight_version", { new_version: "8", abort_all_requests: false });
    server.scheduler.tokenMilliseconds = 0;
    await running;
    const versions = Array.from(call.generation.versions());
    expect(versions).toHaveLength(300);
    expect(new Set(versions)).toEqual(new Set([7, 8]));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  it("counts the cached tokens of the prompt once", async () => {
    await engine.close();
    await server.close();
    await start({ cachedTokens: ({ inputLength }) => inputLength - 1 });
    server.fault({ kind: "abort", after: 4 });
    expect((await engine.generate(makeCall(makePrompt(10), { maxTokens: 9 }))).cachedTokens).toBe(9);
  });

  it("starts from the prompt if it was cut in the queue", async () => {
    server.fault({ kind: "abort-in-queue" }, 3);
    const prompt = makePrompt(6);
    const call = makeCall(prompt, { maxTokens: 7 });
    expect(await engine.generate(call)).toMatchObject({ resumes: 3, cachedTokens: 0 });
    const requests = server.to("/generate").map(({ json }) => json);
    expect(requests.map((json) => json["input_ids"])).toEqual([prompt, prompt, prompt, prompt]);
    expect(requests.map((json) => Object(json["sampling_params"]).max_new_tokens)).toEqual([7, 7, 7, 7]);
  });

  it("ends with reason length if it was cut at the last token of the budget", async () => {
    server.fault({ kind: "abort", after: 6 });
    const call = makeCall(makePrompt(5), { maxTokens: 6 });
    expect(await engine.generate(call)).toMatchObject({ resumes: 0, finish: { reason: "length" } });
    expect(server.to("/generate")).toHaveLength(1);
  });

  it("can be aborted while it waits to be resumed", async () => {
    server.fault({ kind: "abort-in-queue" }, 100);
    const controller = new AbortController();
    const running = engine.generate(makeCall([1]), controller.signal);
    await expect.poll(() => server.to("/generate").length).toBeGreaterThan(3);
    controller.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
  });

  it("fails if the request that resumes it fails", async () => {
    server.fault({ kind: "abort", after: 2 });
    server.fault({ kind: "status", status: 500 });
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_error" });
  });
});

describe("a pause of the engine", () => {
  it.each(["abort", "retract", "in_place"])("in mode %s delays the call, whose output is complete", async (mode) => {
    await engine.close();
    await server.close();
    await start({ tokenMilliseconds: 4, weightVersion: "1" });
    const prompt = makePrompt(8);
    const call = makeCall(prompt, { maxTokens: 300 });
    const running = engine.generate(call);
    await someTokens();
    await control("/pause_generation", { mode });
    await control("/update_weight_version", { new_version: "2", abort_all_requests: false });
    expect(call.generation.length).toBeLessThan(300);
    server.scheduler.tokenMilliseconds = 0;
    await control("/continue_generation", {});
    const { finish, resumes } = await running;
    expect(finish).toEqual({ reason: "length" });
    expect(resumes).toBe(mode === "abort" ? 1 : 0);
    expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 300 }, (_, index) => 108 + index));
  });
});
