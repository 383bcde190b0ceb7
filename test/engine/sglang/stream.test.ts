import { afterEach, describe, expect, it } from "vitest";
import type { Engine, GenerateCall } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { Fault } from "../../helpers/sglang/protocol.js";
import { type SglangServer, type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, makePrompt } from "../generate-call.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(options: SglangServerOptions = {}): Promise<{ server: SglangServer; engine: Engine }> {
  const server = await startSglangServer(options);
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8 });
  open.push(server, engine);
  return { server, engine };
}

/** Returns a streamed call, and the length of its generation at each `onTokens`. */
function readAlong(sampling: Partial<GenerateCall["sampling"]> = {}): { call: GenerateCall; lengths: number[] } {
  const lengths: number[] = [];
  const call = makeCall(makePrompt(10), { maxTokens: 20, ...sampling }, { onTokens: () => read() });
  const read = () => lengths.push(call.generation.length);
  return { call, lengths };
}

describe("a streamed generation", () => {
  it("is requested as a stream only if the call has onTokens", async () => {
    const { server, engine } = await start();
    await engine.generate(readAlong().call);
    await engine.generate(makeCall(makePrompt(10)));
    expect(server.to("/generate").map(({ json }) => json["stream"])).toEqual([true, false]);
  });

  it("reaches the reader while the engine continues", async () => {
    const { server, engine } = await start({ complete: () => Array.from({ length: 50 }, (_, i) => 100 + i) });
    server.scheduler.tokenMilliseconds = 5;
    const { call, lengths } = readAlong({ maxTokens: 50 });
    const running = engine.generate(call);
    await expect.poll(() => lengths.length, { interval: 2 }).toBeGreaterThan(2);
    expect(call.generation.length).toBeLessThan(50);
    expect(server.scheduler.pending).toBe(1);
    server.scheduler.tokenMilliseconds = 0;
    await running;
    expect(call.generation.length).toBe(50);
  });

  it("records the versions of its frames, or of the spans that the engine reports", async () => {
    for (const weightVersionSpans of [false, true]) {
      const { server, engine } = await start({ weightVersionSpans, weightVersion: "7", tokenMilliseconds: 2 });
      const { call, lengths } = readAlong({ maxTokens: 60, stopTokenIds: [510] });
      const running = engine.generate(call);
      await expect.poll(() => lengths.length, { interval: 1 }).toBeGreaterThan(2);
      server.scheduler.weightVersion = "8";
      server.scheduler.tokenMilliseconds = 0;
      await running;
      const versions = Array.from(call.generation.versions());
      expect(new Set(versions)).toEqual(new Set([7, 8]));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    }
  });

  it("continues where a weight update cut it", async () => {
    for (const incremental of [false, true]) {
      const complete = ({ inputLength }: { inputLength: number }) =>
        Array.from({ length: 40 }, (_, i) => 100 + inputLength + i);
      const { server, engine } = await start({ incremental, complete });
      server.fault({ kind: "abort", after: 4 });
      server.fault({ kind: "abort-in-queue" });
      server.fault({ kind: "abort", after: 3 });
      const { call, lengths } = readAlong({ topLogprobs: 2 });
      expect(await engine.generate(call)).toMatchObject({ resumes: 3, finish: { reason: "length" } });
      expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 20 }, (_, i) => 110 + i));
      expect(lengths).toEqual(lengths.toSorted((a, b) => a - b));
      expect(server.to("/generate").map(({ json }) => Object(json["input_ids"]).length)).toEqual([10, 14, 14, 17]);
    }
  });

  const faults: [string, Fault, string][] = [
    ["the connection is lost", { kind: "close-in-stream", frames: 3 }, "engine_unavailable"],
    ["the stream ends early", { kind: "end-in-stream", frames: 3 }, "engine_error"],
    ["it contains an error", { kind: "error-in-stream", frames: 3, message: "CUDA out of memory" }, "engine_error"],
    ["its counts disagree", { kind: "length-mismatch" }, "engine_error"],
    ["it contains NaN", { kind: "bad-logprob", text: "NaN", index: 4 }, "engine_error"],
    ["a log probability is missing", { kind: "bad-logprob", text: "null", index: 4 }, "engine_error"],
    [
      "the scheduler aborts it with status 500",
      { kind: "abort-with-status", statusCode: 500, after: 3 },
      "engine_error",
    ],
    ["the server answers HTTP 500 instead", { kind: "status", status: 500 }, "engine_error"],
  ];
  it.each(faults)("fails without a second request if %s", async (_, fault, code) => {
    for (const incremental of [false, true]) {
      const { server, engine } = await start({ incremental });
      server.fault(fault);
      await expect(engine.generate(readAlong().call)).rejects.toMatchObject({ name: "EngineError", code });
      expect(server.to("/generate")).toHaveLength(1);
      await expect(engine.generate(readAlong().call)).resolves.toMatchObject({ resumes: 0 });
    }
  });

  it("fails with the engine's message", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "error-in-stream", frames: 1, message: "CUDA out of memory\nTraceback" });
    await expect(engine.generate(readAlong().call)).rejects.toThrow(/during the generation: CUDA out of memory$/);
  });

  it("is aborted at the engine when its client disconnects", async () => {
    const { server, engine } = await start({ tokenMilliseconds: 5 });
    const controller = new AbortController();
    const leave = () => controller.abort(new Error("left"));
    const call = makeCall([1], { maxTokens: 400 }, { onTokens: leave });
    await expect(engine.generate(call, controller.signal)).rejects.toThrow("left");
    await expect.poll(() => server.scheduler.pending).toBe(0);
    const rid = server.to("/generate")[0]?.json["rid"];
    await expect.poll(() => server.to("/abort_request")[0]?.json).toEqual({ rid });
  });

  it("is stopped if its reader throws, and fails with that error", async () => {
    const { server, engine } = await start({ tokenMilliseconds: 5 });
    const fail = () => {
      throw new TypeError("the reader failed");
    };
    const call = makeCall([1], { maxTokens: 400 }, { onTokens: fail });
    await expect(engine.generate(call)).rejects.toThrow("the reader failed");
    await expect.poll(() => server.scheduler.pending).toBe(0);
  });

  it("is recorded even if a router answers in one piece", async () => {
    const { server, engine } = await start();
    const meta_info = {
      completion_tokens: 1,
      finish_reason: { type: "length", length: 1 },
      output_token_logprobs: [[-0.5, 7, null]],
    };
    server.fault({ kind: "reply", body: { output_ids: [7], meta_info } });
    const { call, lengths } = readAlong();
    await engine.generate(call);
    expect(Array.from(call.generation.ids())).toEqual([7]);
    expect(lengths).toEqual([1]);
  });
});

describe("a generation with a grammar", () => {
  const schema = '{"type":"object"}';

  it.each([
    [{ kind: "json_schema", schema } as const, { json_schema: schema }],
    [{ kind: "regex", pattern: "[a-z]+" } as const, { regex: "[a-z]+" }],
    [{ kind: "structural_tag", tag: "{}" } as const, { structural_tag: "{}" }],
    [{ kind: "ebnf", rules: 'root ::= "a"' } as const, { ebnf: 'root ::= "a"' }],
  ])("has it in its sampling parameters: %o", async (grammar, fields) => {
    const { server, engine } = await start();
    expect(engine.supports).toEqual({ grammar: true, images: true, stopsWithoutEos: false });
    await engine.generate(makeCall([1], { grammar }));
    expect(server.to("/generate")[0]?.json["sampling_params"]).toMatchObject(fields);
  });

  it("starts over if it was cut", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "abort", after: 4 });
    const currentVersion = () => server.to("/generate").length;
    const call = makeCall([1, 2], { maxTokens: 6, grammar: { kind: "regex", pattern: "a+" } }, { currentVersion });
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(call.generation.length).toBe(6);
    const requests = server.to("/generate").map(({ json }) => json);
    expect(requests.map((json) => json["input_ids"])).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(requests.map((json) => Object(json["sampling_params"]).max_new_tokens)).toEqual([6, 6]);
  });

  it("fails if it was cut after tokens were streamed", async () => {
    const { server, engine } = await start();
    server.fault({ kind: "abort", after: 4 });
    const { call } = readAlong({ grammar: { kind: "regex", pattern: "a+" } });
    await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
  });
});
