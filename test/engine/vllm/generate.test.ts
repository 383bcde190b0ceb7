import { describe, expect, it, onTestFinished } from "vitest";
import { findServedModel } from "../../../src/engine/vllm/served-model.js";
import { alternativeTo } from "../../helpers/sglang/reply.js";
import { inventedLogprob } from "../../helpers/sglang/scheduler.js";
import { startVllmEngine } from "../../helpers/vllm/start-engine.js";
import { startVllmServer } from "../../helpers/vllm/vllm-server.js";
import { ENGINE_SAMPLING, makeCall, makePrompt } from "../generate-call.js";

const GENERATE = "/inference/v1/generate";
const COMPLETIONS = "/v1/completions";

const SAMPLING = {
  max_tokens: 9,
  min_tokens: 0,
  n: 1,
  temperature: 1,
  top_p: 1,
  top_k: -1,
  min_p: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
  stop_token_ids: [2, 3],
  stop: [],
  ignore_eos: false,
  skip_special_tokens: false,
  spaces_between_special_tokens: false,
  logprobs: 0,
};

describe("a request", () => {
  it("contains penalties of repetition, biases, the least number of tokens and ignore_eos", async () => {
    const { server, engine } = await startVllmEngine();
    await engine.generate(makeCall([1], { ...ENGINE_SAMPLING, maxTokens: 5 }));
    const [request] = server.to("/inference/v1/generate");
    expect(request?.json["sampling_params"]).toMatchObject({
      repetition_penalty: 1.3,
      min_tokens: 4,
      ignore_eos: true,
      logit_bias: { "7": -1.5, "9": 100 },
    });
  });

  it("asks for the rest of the least number of tokens after a cut", async () => {
    const { server, engine } = await startVllmEngine();
    server.fault({ kind: "abort", after: 3 });
    await engine.generate(makeCall([1], { minTokens: 5, maxTokens: 8 }));
    const least = server.to("/inference/v1/generate").map(({ json }) => Object(json["sampling_params"]).min_tokens);
    expect(least).toEqual([5, 2]);
  });

  it("to generate contains every field that changes the result", async () => {
    const { server, engine } = await startVllmEngine();
    await engine.generate(makeCall([5, 6, 7], { maxTokens: 9, stopTokenIds: [2, 3] }));
    const [request] = server.to(GENERATE);
    expect(request?.json).toEqual({
      token_ids: [5, 6, 7],
      sampling_params: { ...SAMPLING, detokenize: false },
      model: "tiny",
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      stream: false,
    });
    expect(request?.headers["x-request-id"]).toBe(request?.json["request_id"]);
  });

  it("to completions contains them too, and requests ids", async () => {
    const { server, engine } = await startVllmEngine({ scaleOut: false });
    await engine.generate(makeCall([5, 6, 7], { maxTokens: 9, stopTokenIds: [2, 3] }, { onTokens: () => undefined }));
    expect(server.to(COMPLETIONS)[0]?.json).toEqual({
      prompt: [5, 6, 7],
      ...SAMPLING,
      return_token_ids: true,
      return_tokens_as_token_ids: true,
      model: "tiny",
      request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("contains the sampling parameters of the call", async () => {
    const { server, engine } = await startVllmEngine();
    const sampling = { temperature: 0, topP: 0.9, topK: 40, minP: 0.1, frequencyPenalty: 0.5, presencePenalty: -0.5 };
    await engine.generate(makeCall([1], { ...sampling, seed: 77, stop: ["a", "b"], topLogprobs: 3 }));
    expect(server.to(GENERATE)[0]?.json["sampling_params"]).toMatchObject({
      temperature: 0,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.1,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      seed: 77,
      stop: ["a", "b"],
      detokenize: true,
      logprobs: 4,
    });
  });

  it("to generate applies the grammar of a structural tag from the first token on", async () => {
    const { server, engine } = await startVllmEngine();
    await engine.generate(makeCall([1], { grammar: { kind: "structural_tag", tag: "{}" } }));
    await engine.generate(makeCall([1], { grammar: { kind: "regex", pattern: "a" } }));
    expect(server.to(GENERATE).map(({ json }) => json["reasoning_ended"])).toEqual([true, undefined]);
  });

  it.each([
    [{ kind: "json_schema", schema: '{"type":"object"}' } as const, { json: '{"type":"object"}' }],
    [{ kind: "regex", pattern: "[a-z]+" } as const, { regex: "[a-z]+" }],
    [{ kind: "structural_tag", tag: "{}" } as const, { structural_tag: "{}" }],
    [{ kind: "ebnf", rules: 'root ::= "a"' } as const, { grammar: 'root ::= "a"' }],
  ])("contains the grammar of its output: %o", async (grammar, structured_outputs) => {
    const { server, engine } = await startVllmEngine();
    await engine.generate(makeCall([1], { grammar }));
    expect(server.to(GENERATE)[0]?.json["sampling_params"]).toMatchObject({ structured_outputs });
  });
});

describe("the endpoint", () => {
  it("is generate if the server has it, otherwise completions, which is found out once", async () => {
    const withIt = await startVllmEngine();
    await withIt.engine.generate(makeCall([1]));
    expect(withIt.server.to(COMPLETIONS)).toHaveLength(0);
    const without = await startVllmEngine({ missingPaths: [GENERATE] });
    for (let n = 0; n < 3; n++) await without.engine.generate(makeCall([1]));
    expect(without.server.to(GENERATE)).toHaveLength(1);
    expect(without.server.to(COMPLETIONS)).toHaveLength(3);
  });

  it.each([
    ["generate", GENERATE],
    ["completions", COMPLETIONS],
  ] as const)("is %s if configured", async (api, path) => {
    const { server, engine } = await startVllmEngine({}, { api });
    await engine.generate(makeCall([1]));
    expect(server.requests.filter(({ method }) => method === "POST").map((request) => request.path)).toEqual([path]);
  });

  it("fails the call as engine_error if the server has neither", async () => {
    const { engine } = await startVllmEngine({ scaleOut: false, missingPaths: [COMPLETIONS] });
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_error" });
  });
});

describe("the model", () => {
  it("is the one that the server serves, requested once, with its context length", async () => {
    const { server, engine } = await startVllmEngine({ model: "org/model", contextLength: 4321 });
    expect(await engine.contextLength()).toBe(4321);
    await engine.generate(makeCall([1]));
    await engine.generate(makeCall([1]));
    expect(server.to(GENERATE).map(({ json }) => json["model"])).toEqual(["org/model", "org/model"]);
    expect(server.to("/v1/models")).toHaveLength(1);
  });

  it("is taken from the configuration if set there", async () => {
    const { engine } = await startVllmEngine({ model: "org/model" }, { model: "org/model" });
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
    const other = await startVllmEngine({ model: "org/model" }, { model: "org/other" });
    await expect(other.engine.generate(makeCall([1]))).rejects.toThrow("does not serve the model org/other");
  });

  it("is requested again after a failure", async () => {
    const { server, engine } = await startVllmEngine();
    const port = Number(new URL(server.url).port);
    await server.close();
    await expect(engine.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_unavailable" });
    const again = await startVllmServer({ port });
    onTestFinished(() => again.close());
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
  });

  it.each([
    [{ data: [{ id: "a", max_model_len: 10 }] }, undefined, { name: "a", contextLength: 10 }],
    [
      {
        data: [
          { id: "lora", parent: "a" },
          { id: "a", parent: null },
        ],
      },
      undefined,
      { name: "a" },
    ],
    [{ data: [{ id: "lora", parent: "a" }, { id: "a" }] }, "lora", { name: "lora" }],
    [{ data: [{ id: "a" }] }, "b", undefined],
    [{ data: [] }, undefined, undefined],
    ["no list", undefined, undefined],
  ])("in the list %o, with the name %s, is %o", (body, name, model) => {
    expect(findServedModel(JSON.stringify(body), name)).toEqual(model);
  });

  it("is requested with the API key", async () => {
    const { engine } = await startVllmEngine({ apiKey: "sk-engine" }, { apiKey: "sk-engine" });
    await expect(engine.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
    const refused = await startVllmEngine({ apiKey: "sk-engine" });
    await expect(refused.engine.contextLength()).rejects.toMatchObject({ code: "engine_error" });
  });
});

describe.each([
  ["generate", true],
  ["completions", false],
])("a reply of %s", (_, scaleOut) => {
  it.each([false, true])(
    "is recorded with exactly the sampled ids and log probabilities, streamed: %s",
    async (streams) => {
      const { engine } = await startVllmEngine({ scaleOut });
      const rest = streams ? { onTokens: () => undefined } : {};
      const call = makeCall(makePrompt(4), { maxTokens: 30, stopTokenIds: [511], topLogprobs: 2 }, rest);
      const { finish } = await engine.generate(call);
      const ids = Array.from(call.generation.ids());
      expect(ids).toEqual([...[4, 5, 6, 7, 8, 9, 10, 11].map((place) => 3 + ((place * 7919) % 506)), 511]);
      expect(Array.from(call.generation.logprobs())).toEqual(ids.map(inventedLogprob));
      expect(Array.from(call.generation.top()?.ids ?? [])).toEqual(ids.flatMap((id) => [id, alternativeTo(id, 1)]));
      expect(finish).toEqual({ reason: "stop", matched: 511 });
    },
  );

  it("reports how many prompt tokens were cached if the server does", async () => {
    const saying = await startVllmEngine({ scaleOut, cachedTokens: () => 2 });
    expect((await saying.engine.generate(makeCall([1, 2, 3]))).cachedTokens).toBe(2);
    const silent = await startVllmEngine({ scaleOut });
    expect((await silent.engine.generate(makeCall([1, 2, 3]))).cachedTokens).toBeUndefined();
  });

  it.each([false, true])("is resumed if a weight update cut it, streamed: %s", async (streams) => {
    const complete = ({ inputLength }: { inputLength: number }) =>
      Array.from({ length: 40 }, (_unused, index) => 100 + inputLength + index);
    const { server, engine } = await startVllmEngine({ scaleOut, complete, skipsEmptyFrames: true });
    server.fault({ kind: "abort", after: 4 });
    server.fault({ kind: "abort", after: 0 });
    let version = 1;
    const rest = { currentVersion: () => version, ...(streams ? { onTokens: () => undefined } : {}) };
    const call = makeCall(makePrompt(10), { maxTokens: 12 }, rest);
    const running = engine.generate(call);
    await expect.poll(() => call.generation.length, { interval: 1 }).toBe(4);
    version = 2;
    expect(await running).toMatchObject({ resumes: 2, finish: { reason: "length" } });
    expect(Array.from(call.generation.ids())).toEqual(Array.from({ length: 12 }, (_unused, index) => 110 + index));
    expect([...call.generation.versions()]).toEqual([...Array(4).fill(1), ...Array(8).fill(2)]);
  });

  it("stops at the engine when its client disconnects", async () => {
    const { server, engine } = await startVllmEngine({ scaleOut, tokenMilliseconds: 5 });
    const controller = new AbortController();
    const call = makeCall([1], { maxTokens: 400 });
    const running = engine.generate(call, controller.signal);
    await expect.poll(() => server.scheduler.pendingTokens).toBeGreaterThan(1);
    controller.abort(new Error("left"));
    await expect(running).rejects.toThrow("left");
    await expect.poll(() => server.scheduler.pending).toBe(0);
  });
});

describe("alternatives", () => {
  const outside = { sampledOutsideTop: true };

  it.each([true, false])(
    "are the most likely tokens if the sampled token is not among them, generate: %s",
    async (scaleOut) => {
      const { engine } = await startVllmEngine({ ...outside, scaleOut });
      const call = makeCall(makePrompt(4), { maxTokens: 3, topLogprobs: 2 });
      await engine.generate(call);
      const ids = Array.from(call.generation.ids());
      expect(Array.from(call.generation.top()?.ids ?? [])).toEqual(ids.flatMap((id) => [id + 1, id + 2]));
    },
  );

  it.each([false, true])(
    "are one less if the server's limit allows no more, found out once, streamed: %s",
    async (streams) => {
      const { server, engine } = await startVllmEngine({ ...outside, maxLogprobs: 2 });
      for (let n = 0; n < 2; n++) {
        const call = makeCall([1], { maxTokens: 3, topLogprobs: 2 }, streams ? { onTokens: () => undefined } : {});
        await engine.generate(call);
        expect(call.generation.top()?.width).toBe(2);
      }
      const asked = server.to(GENERATE).map(({ json }) => Object(json["sampling_params"]).logprobs as number);
      expect(asked).toEqual([3, 2, 2]);
    },
  );

  it.each([false, true])("fail the call if they exceed the server's limit, streamed: %s", async (streams) => {
    const { engine } = await startVllmEngine({ maxLogprobs: 2 });
    const refused = engine.generate(makeCall([1], { topLogprobs: 3 }, streams ? { onTokens: () => undefined } : {}));
    await expect(refused).rejects.toMatchObject({ code: "engine_rejected_request" });
  });
});

describe("stop strings on a server that does not search for them", () => {
  /** The text of token 105 is " t105", so the stop string spans two tokens. */
  const tokenBytes = (id: number) => Buffer.from(` t${id}`);
  const complete = ({ inputLength }: { inputLength: number }) =>
    Array.from({ length: 300 }, (_, index) => 100 + inputLength + index);
  const sampling = { maxTokens: 300, stop: ["5 t106", "never"] };
  const WHOLE = { finish: { reason: "stop", matched: "5 t106" }, resumes: 0 };

  it.each([false, true])("end the output and the engine's work, streamed: %s", async (streams) => {
    const { server, engine } = await startVllmEngine({ complete, tokenMilliseconds: 3 });
    const told: number[] = [];
    const onTokens = () => void told.push(call.generation.length);
    const call = makeCall([1, 2], sampling, { tokenBytes, ...(streams ? { onTokens } : {}) });
    expect(await engine.generate(call)).toMatchObject(WHOLE);
    expect(Array.from(call.generation.ids())).toEqual([102, 103, 104, 105, 106]);
    expect(call.generation.logprobs()).toHaveLength(5);
    await expect.poll(() => server.scheduler.pending).toBe(0);
    expect(Math.max(0, ...told)).toBe(streams ? 5 : 0);
    expect(engine.servers?.list()[0]?.counts).toMatchObject({ completed: 1, failed: 0 });
  });

  it("end a reply that arrives in one piece", async () => {
    const { engine } = await startVllmEngine({ complete, scaleOut: false });
    const call = makeCall([1, 2], sampling, { tokenBytes });
    expect(await engine.generate(call)).toMatchObject(WHOLE);
    expect(call.generation.length).toBe(5);
  });

  it.each([false, true])("are found if a weight update cut them, streamed: %s", async (streams) => {
    const { server, engine } = await startVllmEngine({ complete });
    server.fault({ kind: "abort", after: 4 });
    const rest = { tokenBytes, ...(streams ? { onTokens: () => undefined } : {}) };
    const call = makeCall([1, 2], sampling, rest);
    expect(await engine.generate(call)).toMatchObject({ ...WHOLE, resumes: 1 });
    expect(Array.from(call.generation.ids())).toEqual([102, 103, 104, 105, 106]);
  });

  it("may end inside a character", async () => {
    const { engine } = await startVllmEngine({ complete });
    const bytes = Buffer.from("ab\u00e9cd");
    const call = makeCall(
      [1, 2],
      { maxTokens: 300, stop: ["\u00e9"] },
      {
        tokenBytes: (id) => bytes.subarray(id - 102, id - 101),
      },
    );
    expect(await engine.generate(call)).toMatchObject({ finish: { reason: "stop", matched: "\u00e9" } });
    expect(call.generation.length).toBe(4);
  });

  it("do not end an output that contains none of them", async () => {
    const { engine } = await startVllmEngine({ complete });
    const call = makeCall([1, 2], { maxTokens: 20, stop: ["nowhere"] }, { tokenBytes });
    expect(await engine.generate(call)).toMatchObject({ finish: { reason: "length" } });
    expect(call.generation.length).toBe(20);
  });
});

describe("spans of weight versions", () => {
  it.each([false, true])("are recorded for their tokens, streamed: %s", async (streams) => {
    const { server, engine } = await startVllmEngine({
      weightVersionSpans: true,
      weightVersion: "7",
      tokenMilliseconds: 2,
    });
    const rest = streams ? { onTokens: () => undefined } : {};
    const call = makeCall([1], { maxTokens: 60, stopTokenIds: [510] }, rest);
    const running = engine.generate(call);
    await expect.poll(() => server.scheduler.pendingTokens, { interval: 1 }).toBeGreaterThan(2);
    server.scheduler.weightVersion = "8";
    server.scheduler.tokenMilliseconds = 0;
    await running;
    const versions = Array.from(call.generation.versions());
    expect(new Set(versions)).toEqual(new Set([7, 8]));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });
});
