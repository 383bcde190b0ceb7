import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { inventedLogprob } from "../../helpers/sglang/scheduler.js";
import { type SglangServer, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { ENGINE_SAMPLING, makeCall, makePrompt } from "../generate-call.js";

const DEFAULTS = { timeoutSeconds: 0, maxInflight: 64 };

let server: SglangServer;
let engine: Engine;

beforeEach(async () => {
  server = await startSglangServer();
  engine = createSglangEngine({ ...DEFAULTS, urls: [server.url] });
});
afterEach(async () => {
  await engine.close();
  await server.close();
});

describe("a request", () => {
  it("contains every field that changes the result, so no server default applies", async () => {
    await engine.generate(makeCall([5, 6, 7], { maxTokens: 9, stopTokenIds: [2, 3] }));
    const [request] = server.to("/generate");
    expect(request?.json).toEqual({
      input_ids: [5, 6, 7],
      sampling_params: {
        max_new_tokens: 9,
        min_new_tokens: 0,
        n: 1,
        temperature: 1,
        top_p: 1,
        top_k: -1,
        min_p: 0,
        frequency_penalty: 0,
        presence_penalty: 0,
        repetition_penalty: 1,
        stop_token_ids: [2, 3],
        ignore_eos: false,
        no_stop_trim: true,
        skip_special_tokens: false,
        spaces_between_special_tokens: false,
      },
      return_logprob: true,
      logprob_start_len: -1,
      top_logprobs_num: 0,
      return_text_in_logprobs: false,
      stream: false,
      rid: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it("contains the sampling parameters of the call", async () => {
    const sampling = { temperature: 0, topP: 0.9, topK: 40, minP: 0.1, frequencyPenalty: 0.5, presencePenalty: -0.5 };
    await engine.generate(makeCall([1], { ...sampling, seed: 77, stop: ["a", "b"], topLogprobs: 3 }));
    const [request] = server.to("/generate");
    expect(request?.json["top_logprobs_num"]).toBe(3);
    expect(request?.json["sampling_params"]).toMatchObject({
      temperature: 0,
      top_p: 0.9,
      top_k: 40,
      min_p: 0.1,
      frequency_penalty: 0.5,
      presence_penalty: -0.5,
      sampling_seed: 77,
      stop: ["a", "b"],
    });
  });

  it("contains penalties of repetition, biases, the least number of tokens and ignore_eos", async () => {
    await engine.generate(makeCall([1], { ...ENGINE_SAMPLING, maxTokens: 5 }));
    const [request] = server.to("/generate");
    expect(request?.json["sampling_params"]).toMatchObject({
      repetition_penalty: 1.3,
      min_new_tokens: 4,
      ignore_eos: true,
      logit_bias: { "7": -1.5, "9": 100 },
    });
  });

  it("asks for the rest of the least number of tokens after a cut", async () => {
    server.fault({ kind: "abort", after: 3 });
    await engine.generate(makeCall([1], { minTokens: 5, maxTokens: 8 }));
    const least = server.to("/generate").map(({ json }) => Object(json["sampling_params"]).min_new_tokens);
    expect(least).toEqual([5, 2]);
  });

  it("has its own rid, and the affinity key as routing key", async () => {
    await engine.generate(makeCall([1], {}, { affinityKey: "task-7:a b" }));
    await engine.generate(makeCall([1], {}, { affinityKey: "tâche" }));
    const [first, second] = server.to("/generate");
    expect(first?.json["rid"]).not.toBe(second?.json["rid"]);
    expect(first?.headers["x-smg-routing-key"]).toBe("task-7:a b");
    expect(second?.headers["x-smg-routing-key"]).toBe("t%C3%A2che");
  });

  it("is authorized with the API key", async () => {
    const locked = await startSglangServer({ apiKey: "sk-engine" });
    const opened = createSglangEngine({ ...DEFAULTS, urls: [locked.url], apiKey: "sk-engine" });
    const refused = createSglangEngine({ ...DEFAULTS, urls: [locked.url] });
    await expect(opened.generate(makeCall([1]))).resolves.toMatchObject({ resumes: 0 });
    await expect(opened.contextLength()).resolves.toBeGreaterThan(0);
    await expect(refused.generate(makeCall([1]))).rejects.toMatchObject({ code: "engine_error" });
    await Promise.all([opened.close(), refused.close()]);
    await locked.close();
  });

  it("goes to paths below the configured URL", async () => {
    const below = createSglangEngine({ ...DEFAULTS, urls: [`${server.url}/worker-1/`] });
    await expect(below.generate(makeCall([1]))).rejects.toThrow(/404/);
    expect(server.requests.at(-1)?.path).toBe("/worker-1/generate");
    await below.close();
  });

  it("reuses connections", async () => {
    for (let n = 0; n < 10; n++) await engine.generate(makeCall([1, n]));
    // A connection becomes free some time after its reply, so undici may open a second one.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it("leaves the queue for a place when its client disconnects", async () => {
    const narrow = createSglangEngine({ ...DEFAULTS, urls: [server.url], maxInflight: 1 });
    const controller = new AbortController();
    const running = narrow.generate(makeCall([1]));
    const waiting = narrow.generate(makeCall([2]), controller.signal);
    const next = narrow.generate(makeCall([3]));
    controller.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    await Promise.all([running, next]);
    expect(server.to("/generate").map(({ json }) => json["input_ids"])).toEqual([[1], [3]]);
    expect(server.to("/abort_request")).toHaveLength(0);
    await narrow.close();
  });

  it("waits for a place if all places are taken", async () => {
    const narrow = createSglangEngine({ ...DEFAULTS, urls: [server.url], maxInflight: 2 });
    await Promise.all(Array.from({ length: 12 }, (_, n) => narrow.generate(makeCall([1, n]))));
    expect(server.connections).toBe(2);
    expect(server.to("/generate")).toHaveLength(12);
    await narrow.close();
  });
});

describe("a reply", () => {
  it("is recorded with exactly the ids and log probabilities that the engine sampled", async () => {
    const call = makeCall(makePrompt(4), { maxTokens: 30, stopTokenIds: [511] });
    const { finish } = await engine.generate(call);
    const ids = Array.from(call.generation.ids());
    expect(ids).toEqual([...[4, 5, 6, 7, 8, 9, 10, 11].map((place) => 3 + ((place * 7919) % 506)), 511]);
    expect(Array.from(call.generation.logprobs())).toEqual(ids.map(inventedLogprob));
    expect(finish).toEqual({ reason: "stop", matched: 511 });
  });

  it.each([
    [
      { type: "stop", matched: "\n\nUser:" },
      { reason: "stop", matched: "\n\nUser:" },
    ],
    [{ type: "stop", matched: [7, 8] }, { reason: "stop" }],
    [{ type: "length", length: 2 }, { reason: "length" }],
  ])("with finish reason %o ends the call with %o", async (finishReason, finish) => {
    server.fault({ kind: "reply", body: reply({ finish_reason: finishReason }) });
    expect((await engine.generate(makeCall([1]))).finish).toEqual(finish);
  });

  it("reports how many prompt tokens were cached", async () => {
    server.fault({ kind: "reply", body: reply({ cached_tokens: 1 }) });
    expect((await engine.generate(makeCall([1, 2]))).cachedTokens).toBe(1);
    server.fault({ kind: "reply", body: reply({}) });
    expect((await engine.generate(makeCall([1, 2]))).cachedTokens).toBeUndefined();
  });

  it("with 70,000 tokens is recorded completely", async () => {
    const ids = Array.from({ length: 70_000 }, (_, index) => 3 + (index % 500));
    const long = await startSglangServer({ complete: () => ids });
    const client = createSglangEngine({ ...DEFAULTS, urls: [long.url] });
    const call = makeCall([1], { maxTokens: 70_000 });
    expect((await client.generate(call)).finish).toEqual({ reason: "length" });
    expect(Buffer.from(call.generation.ids().buffer).equals(Buffer.from(Int32Array.from(ids).buffer))).toBe(true);
    await client.close();
    await long.close();
  });

  it("is the same from a test server that skips the ids of a prompt", async () => {
    const fast = await startSglangServer({ fast: true });
    const client = createSglangEngine({ ...DEFAULTS, urls: [fast.url] });
    const outputs = [client, engine].map(async (either) => {
      const call = makeCall(makePrompt(5000), { stop: ["[1,2]"], stopTokenIds: [509] });
      return [await either.generate(call), Array.from(call.generation.ids())];
    });
    const [quick, thorough] = await Promise.all(outputs);
    expect(quick).toEqual(thorough);
    expect(fast.requests).toHaveLength(0);
    await client.close();
    await fast.close();
  });

  it("gets the version that was current when its request was sent, if it contains no version number", async () => {
    let version = 3;
    server.scheduler.pause("in_place");
    const call = makeCall([1], { maxTokens: 2 }, { currentVersion: () => version });
    const running = engine.generate(call);
    await expect.poll(() => server.to("/generate").length).toBe(1);
    version = 4;
    server.scheduler.continue();
    await running;
    expect(Array.from(call.generation.versions())).toEqual([3, 3]);
  });

  it("sets the version even of a request that waited for a place", async () => {
    const narrow = createSglangEngine({ ...DEFAULTS, urls: [server.url], maxInflight: 1 });
    let version = 3;
    server.scheduler.pause("in_place");
    const first = makeCall([1], { maxTokens: 1 }, { currentVersion: () => version });
    const second = makeCall([2], { maxTokens: 1 }, { currentVersion: () => version });
    const running = [narrow.generate(first), narrow.generate(second)];
    await expect.poll(() => server.to("/generate").length).toBe(1);
    version = 4;
    server.scheduler.continue();
    await Promise.all(running);
    expect([first, second].map(({ generation }) => generation.versions()[0])).toEqual([3, 4]);
    await narrow.close();
  });

  it("gets the engine's version if that is a number", async () => {
    server.scheduler.weightVersion = "12";
    const call = makeCall([1], { maxTokens: 2 }, { currentVersion: () => 3 });
    await engine.generate(call);
    expect(Array.from(call.generation.versions())).toEqual([12, 12]);
  });
});

/** Returns a reply with the two tokens 7 and 8. */
function reply(meta: Record<string, unknown>): unknown {
  return {
    output_ids: [7, 8],
    meta_info: {
      id: "x",
      finish_reason: { type: "length", length: 2 },
      weight_version: "default",
      completion_tokens: 2,
      output_token_logprobs: [
        [-0.5, 7, null],
        [-0.25, 8, null],
      ],
      ...meta,
    },
  };
}
