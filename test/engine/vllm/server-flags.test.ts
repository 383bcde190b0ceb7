import { describe, expect, it, onTestFinished } from "vitest";
import type { Grammar } from "../../../src/engine/engine.js";
import { startVllmEngine } from "../../helpers/vllm/start-engine.js";
import { startVllmServer, type VllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

/** What servers refuse because of their flags. The double's answers are those of vLLM 0.32. */

const GENERATE = "/inference/v1/generate";
const COMPLETIONS = "/v1/completions";
const MODES = [{ onTokens: () => undefined }, {}];

const sampled = (server: VllmServer, name: string) =>
  server.to(GENERATE).map(({ json }) => Object(json["sampling_params"])[name] as unknown);

describe("a server without --enable-scale-out", () => {
  it("gets completions, which is found out once", async () => {
    const { server, engine } = await startVllmEngine({ scaleOut: false });
    for (let n = 0; n < 3; n++) await engine.generate(makeCall([1]));
    expect(server.to(GENERATE)).toHaveLength(1);
    expect(server.to(COMPLETIONS)).toHaveLength(3);
  });

  it("fails calls if only generate is configured, with the server's own sentence", async () => {
    const { engine } = await startVllmEngine({ scaleOut: false }, { api: "generate" });
    await expect(engine.generate(makeCall([1]))).rejects.toThrow("Restart vllm serve with --enable-scale-out");
  });

  it("is told from a proxy that answers 403", async () => {
    const { server, engine } = await startVllmEngine({});
    server.fault({ kind: "status", status: 403, body: { error: { message: "Forbidden by policy" } } });
    await expect(engine.generate(makeCall([1]))).rejects.toThrow("HTTP 403: Forbidden by policy");
    expect(server.to(COMPLETIONS)).toHaveLength(0);
  });
});

describe("a server with --tokens-only", () => {
  /** The text of token 105 is " t105", so the stop string spans two tokens. */
  const tokenBytes = (id: number) => Buffer.from(` t${id}`);
  const complete = ({ inputLength }: { inputLength: number }) =>
    Array.from({ length: 300 }, (_, index) => 100 + inputLength + index);
  const stopping = { maxTokens: 300, stop: ["5 t106"] };

  it.each(MODES)("gets no stop strings after it has refused one: %o", async (rest) => {
    const { server, engine } = await startVllmEngine({ tokensOnly: true, complete });
    for (let n = 0; n < 2; n++) {
      const call = makeCall([1, 2], stopping, { tokenBytes, ...rest });
      expect(await engine.generate(call)).toMatchObject({ finish: { reason: "stop", matched: "5 t106" } });
      expect(Array.from(call.generation.ids())).toEqual([102, 103, 104, 105, 106]);
    }
    expect(sampled(server, "stop")).toEqual([["5 t106"], [], []]);
    expect(sampled(server, "detokenize")).toEqual([true, false, false]);
  });

  it("refuses stop strings that nobody could find", async () => {
    const { engine } = await startVllmEngine({ tokensOnly: true });
    const refused = engine.generate(makeCall([1], stopping));
    await expect(refused).rejects.toMatchObject({ code: "engine_rejected_request" });
    await expect(refused).rejects.toThrow("stop strings are not supported on a --tokens-only server");
  });

  it.each(MODES)("refuses a grammar with a sentence that names the flag: %o", async (rest) => {
    const { server, engine } = await startVllmEngine({ tokensOnly: true });
    const grammar: Grammar = { kind: "regex", pattern: "a" };
    const refused = engine.generate(makeCall([1], { grammar }, rest));
    await expect(refused).rejects.toMatchObject({ code: "engine_rejected_request" });
    await expect(refused).rejects.toThrow("The server was started with `--tokens-only`");
    expect(server.to(GENERATE)).toHaveLength(1);
  });

  it("gets stop strings again after it was unreachable", async () => {
    const { server, engine } = await startVllmEngine({ tokensOnly: true, complete });
    await engine.generate(makeCall([1, 2], stopping, { tokenBytes }));
    await server.close();
    await expect(engine.health()).rejects.toMatchObject({ code: "engine_unavailable" });
    const again = await startVllmServer({ port: Number(new URL(server.url).port), complete });
    onTestFinished(() => again.close());
    await engine.generate(makeCall([1, 2], stopping, { tokenBytes }));
    expect(sampled(again, "stop")).toEqual([["5 t106"]]);
  });
});

describe("a server with --return-sampling-mask", () => {
  const temperatures = MODES.flatMap((rest) => [{ topK: 0 }, { topK: 5 }].map((sampling) => ({ sampling, rest })));

  it.each(temperatures)("has greedy calls rejected with the reason and what to do: %o", async ({ sampling, rest }) => {
    const { engine } = await startVllmEngine({ samplingMask: true });
    for (const _ of ["the first call", "the next"]) {
      const call = makeCall([1], { ...sampling, temperature: 0 }, rest);
      const refused = engine.generate(call);
      await expect(refused).rejects.toMatchObject({ code: "engine_rejected_request" });
      await expect(refused).rejects.toThrow("temperature must be above 0: the engine server was started with");
      expect(call.generation.length).toBe(0);
    }
  });

  it.each(MODES)("gets the size of the vocabulary as top_k of calls without one: %o", async (rest) => {
    const { server, engine } = await startVllmEngine({ samplingMask: true }, { vocabularySize: 512 });
    const calls = [makeCall([1], {}, rest), makeCall([1], {}, rest), makeCall([1], { topK: 7 }, rest)];
    for (const call of calls) await engine.generate(call);
    // The first request, the probe, and the calls.
    expect(sampled(server, "top_k")).toEqual([-1, 1, 512, 512, 7]);
    // One frame after another takes less memory than all masks of all ids.
    expect(server.to(GENERATE).map(({ json }) => json["stream"] ?? false)).toEqual(
      rest.onTokens ? [true, false, true, true, true] : [false, false, true, true, false],
    );
    for (const { generation } of calls) expect(generation.hasOutputs("kept_ids", 0)).toBe(false);
  });

  it("is asked once for the calls that it fails at the same time", async () => {
    const { server, engine } = await startVllmEngine({ samplingMask: true }, { vocabularySize: 512 });
    await Promise.all([engine.generate(makeCall([1], {})), engine.generate(makeCall([2], {}))]);
    expect(sampled(server, "top_k").sort((a, b) => Number(a) - Number(b))).toEqual([-1, -1, 1, 512, 512]);
  });

  it("gets calls without top_k again after it was restarted without the flag", async () => {
    const { server, engine } = await startVllmEngine({ samplingMask: true }, { vocabularySize: 512 });
    await engine.generate(makeCall([1], {}));
    await server.close();
    await expect(engine.health()).rejects.toMatchObject({ code: "engine_unavailable" });
    const again = await startVllmServer({ port: Number(new URL(server.url).port) });
    onTestFinished(() => again.close());
    await engine.generate(makeCall([1], {}));
    expect(sampled(again, "top_k")).toEqual([-1]);
  });

  it("takes a call with top_k and a temperature", async () => {
    const { engine } = await startVllmEngine({ samplingMask: true });
    expect(await engine.generate(makeCall([1], { topK: 5 }))).toMatchObject({ resumes: 0 });
  });
});

describe("HTTP 500 without a message", () => {
  it.each(MODES)("stays an error of the engine if the server returns no masks: %o", async (rest) => {
    const { server, engine } = await startVllmEngine({});
    const fault = rest.onTokens
      ? ({ kind: "error-in-stream", frames: 0, message: "", code: 500 } as const)
      : ({ kind: "status", status: 500, body: { error: { message: "", code: 500 } } } as const);
    server.fault(fault);
    const call = makeCall([1, 2], { maxTokens: 9 }, rest);
    await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
    expect(call.generation.length).toBe(0);
    expect(sampled(server, "max_tokens")).toEqual([9, 1]);
    expect(server.to(GENERATE)[1]?.json["request_id"]).toMatch(/^rolltape-masks-/);
  });

  it("is not asked about for a call that a server with masks takes", async () => {
    const { server, engine } = await startVllmEngine({});
    server.fault({ kind: "status", status: 500, body: { error: { message: "", code: 500 } } });
    await expect(engine.generate(makeCall([1], { topK: 5 }))).rejects.toMatchObject({ code: "engine_error" });
    expect(server.to(GENERATE)).toHaveLength(1);
  });
});

describe("the id of a call", () => {
  it("is the id of its requests in header and body, also of those after a cut", async () => {
    const { server, engine } = await startVllmEngine({});
    server.fault({ kind: "abort", after: 2 });
    await engine.generate({ ...makeCall([1], { maxTokens: 6 }), id: "chatcmpl-7" });
    expect(server.to(GENERATE).map(({ headers }) => headers["x-request-id"])).toEqual(["chatcmpl-7", "chatcmpl-7"]);
    expect(server.to(GENERATE).map(({ json }) => json["request_id"])).toEqual(["chatcmpl-7", "chatcmpl-7"]);
  });
});
