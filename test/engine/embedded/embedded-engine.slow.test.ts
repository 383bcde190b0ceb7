import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../src/engine/embedded/embedded-engine.js";
import { importLlama, openLlama } from "../../../src/engine/embedded/import-llama.js";
import { ensureTinyModel } from "../../../src/engine/embedded/tiny-model/ensure.js";
import type { Engine, GenerateCall } from "../../../src/engine/engine.js";
import { type Scorer, startScorer } from "../../helpers/embedded-scorer.js";
import { describeEngine } from "../conformance.js";
import { makeCall, makePrompt } from "../generate-call.js";

const CONTEXT = 600;

for (const streams of [false, true]) {
  const start = async () => {
    const engine = await createEmbeddedEngine({ contextSize: CONTEXT, sequences: 3 });
    return { engine, slow: engine, contextLength: CONTEXT, stop: () => engine.close() };
  };
  const name = streams ? "embedded, streamed" : "embedded";
  describeEngine("embedded", start, { name, streams, tolerance: 1e-3 });
}

let engine: Engine;
let scorer: Scorer;

beforeAll(async () => {
  engine = await createEmbeddedEngine({ contextSize: 4096, sequences: 3 });
  scorer = await startScorer({ contextSize: 4096 });
});
afterAll(() => Promise.all([engine.close(), scorer.close()]));

/** Returns the largest difference between recorded log probabilities and the model's own for the same tokens. */
async function logprobError({ prompt, generation }: GenerateCall): Promise<number> {
  const scored = await scorer.scoreTokens(prompt.tokens(), generation.ids(), 1);
  return Math.max(...generation.logprobs().map((logprob, index) => Math.abs(logprob - (scored[index] ?? Number.NaN))));
}

const TOLERANCE = 1e-3;

describe("timeoutSeconds", () => {
  it("ends a generation that takes longer, and frees its sequence", async () => {
    const limited = await createEmbeddedEngine({ contextSize: 4096, sequences: 1, timeoutSeconds: 0.2 });
    const long = () => limited.generate(makeCall(makePrompt(5), { maxTokens: 4000 }));
    await expect(long()).rejects.toMatchObject({
      code: "engine_timeout",
      message: "The engine did not finish within 0.2 seconds.",
    });
    expect((await limited.generate(makeCall(makePrompt(5), { maxTokens: 1 }))).finish).toEqual({ reason: "length" });
    await limited.close();
  });

  it("includes the wait for a free sequence", async () => {
    const limited = await createEmbeddedEngine({ contextSize: 4096, sequences: 1, timeoutSeconds: 0.2 });
    const calls = [1, 2].map(() => limited.generate(makeCall(makePrompt(5), { maxTokens: 4000 })));
    for (const outcome of await Promise.allSettled(calls)) expect(outcome).toMatchObject({ status: "rejected" });
    await limited.close();
  });
});

describe("a grammar", () => {
  it("is refused, because the engine does not support grammars", async () => {
    expect(engine.supports).toEqual({ grammar: false, stopsWithoutEos: true });
    const call = makeCall(makePrompt(5), { grammar: { kind: "regex", pattern: "a+" } });
    await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
  });
});

describe("the prefix cache", () => {
  it("keeps prompt and output of a session for its next turn", async () => {
    const first = makeCall(makePrompt(50), { maxTokens: 20, seed: 1 }, { affinityKey: "cache-1" });
    expect((await engine.generate(first)).cachedTokens).toBe(0);
    const prompt = [...makePrompt(50), ...first.generation.ids(), ...makePrompt(10, 3)];
    const second = makeCall(prompt, { maxTokens: 20, seed: 2 }, { affinityKey: "cache-1" });
    // The last sampled token was never fed back.
    expect((await engine.generate(second)).cachedTokens).toBe(50 + 20 - 1);
    expect(await logprobError(second)).toBeLessThan(TOLERANCE);
  });

  it("always evaluates the last token of the prompt", async () => {
    const prompt = makePrompt(40, 100);
    await engine.generate(makeCall(prompt, { maxTokens: 1 }));
    expect((await engine.generate(makeCall(prompt, { maxTokens: 1 }))).cachedTokens).toBe(39);
  });

  it("drops tokens behind the first difference", async () => {
    const prompt = makePrompt(60, 55);
    await engine.generate(makeCall(prompt, { maxTokens: 5 }));
    const changed = [...prompt.slice(0, 41), 300, 301, 302];
    const call = makeCall(changed, { maxTokens: 30, seed: 4 });
    expect((await engine.generate(call)).cachedTokens).toBe(41);
    expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });

  it("stays correct after an aborted call", async () => {
    const controller = new AbortController();
    const prompt = makePrompt(80, 9);
    const onTokens = () => controller.abort(new Error("enough"));
    const aborted = engine.generate(
      makeCall(prompt, { maxTokens: 3000 }, { affinityKey: "cut", onTokens }),
      controller.signal,
    );
    await expect(aborted).rejects.toThrow("enough");
    const call = makeCall(prompt, { maxTokens: 30, seed: 8 }, { affinityKey: "cut" });
    await engine.generate(call);
    expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });
});

describe("calls at the same time", () => {
  it("record the log probabilities of their own prompts", async () => {
    const calls = Array.from({ length: 12 }, (_, n) =>
      makeCall(makePrompt(20 + 7 * n, n), { maxTokens: 40, seed: n }, { affinityKey: `many-${n}` }),
    );
    await Promise.all(calls.map((call) => engine.generate(call)));
    for (const call of calls) expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });

  it("leave the queue if they are aborted while they wait", async () => {
    const running = Array.from({ length: 3 }, (_, n) =>
      engine.generate(makeCall(makePrompt(10, n), { maxTokens: 300 }, { affinityKey: `busy-${n}` })),
    );
    const controller = new AbortController();
    const waiting = makeCall(makePrompt(10), { maxTokens: 300 });
    const outcome = engine.generate(waiting, controller.signal);
    controller.abort(new Error("no longer"));
    await expect(outcome).rejects.toThrow("no longer");
    expect(waiting.generation.length).toBe(0);
    await Promise.all(running);
  });
});

describe("a long prompt", () => {
  it("can be aborted between the pieces in which it is evaluated", async () => {
    const reason = new Error("too long to wait");
    const controller = new AbortController();
    const call = makeCall(makePrompt(4000), { maxTokens: 90 }, { affinityKey: "long" });
    const outcome = engine.generate(call, controller.signal);
    setImmediate(() => controller.abort(reason));
    await expect(outcome).rejects.toBe(reason);
    expect(call.generation.length).toBe(0);
  });

  it("is followed by correct log probabilities", async () => {
    const prompt = makePrompt(3900, 1);
    const call = makeCall(prompt, { maxTokens: 60, seed: 2 });
    await engine.generate(call);
    expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });
});

describe("stop strings", () => {
  it("end the output at their first occurrence, and keep their tokens", async () => {
    const free = makeCall(makePrompt(30), { maxTokens: 100, seed: 21 });
    await engine.generate(free);
    const tokenizer = await tinyTokenizer();
    const detokenize = (ids: Int32Array) =>
      tokenizer.decode(Array.from(ids), { skip_special_tokens: false, clean_up_tokenization_spaces: false });
    const text = detokenize(free.generation.ids());
    const stop = text.slice(40, 47);
    const call = makeCall(makePrompt(30), { maxTokens: 100, seed: 21, stop: ["never in there", stop] });
    expect((await engine.generate(call)).finish).toEqual({ reason: "stop", matched: stop });
    const ids = call.generation.ids();
    expect(Array.from(free.generation.ids().slice(0, ids.length))).toEqual(Array.from(ids));
    expect(detokenize(ids)).toContain(stop);
    expect(detokenize(ids.slice(0, -1))).not.toContain(stop);
  });
});

async function tinyTokenizer(): Promise<Tokenizer> {
  const { folder } = await ensureTinyModel();
  const read = async (name: string) => Object(JSON.parse(await readFile(join(folder, name), "utf8")));
  return new Tokenizer(await read("tokenizer.json"), await read("tokenizer_config.json"));
}

describe("an output longer than one chunk", () => {
  it("is recorded completely, with alternatives", async () => {
    const call = makeCall(makePrompt(10), { maxTokens: 700, seed: 3, topLogprobs: 2 });
    await engine.generate(call);
    expect(call.generation.length).toBe(700);
    expect(call.generation.top()?.ids).toHaveLength(1400);
    expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });
});

describe("invalid input", () => {
  it("fails the call: an empty prompt, maxTokens 0, an unknown token id", async () => {
    for (const call of [makeCall([]), makeCall(makePrompt(3), { maxTokens: 0 }), makeCall([1, 99_999])]) {
      await expect(engine.generate(call)).rejects.toMatchObject({ code: "engine_error" });
    }
    const call = makeCall(makePrompt(20), { maxTokens: 20, seed: 1 });
    await engine.generate(call);
    expect(await logprobError(call)).toBeLessThan(TOLERANCE);
  });

  it("fails the start: sizes that are not positive integers, a missing model file", async () => {
    await expect(createEmbeddedEngine({ sequences: 0 })).rejects.toThrow(RangeError);
    await expect(createEmbeddedEngine({ contextSize: 1.5 })).rejects.toThrow(RangeError);
    await expect(createEmbeddedEngine({ threads: -1 })).rejects.toThrow(RangeError);
    await expect(createEmbeddedEngine({ modelPath: "/nowhere/model.gguf" })).rejects.toThrow(/model\.gguf/);
  });

  it("fails the start: a damaged model file", async () => {
    const { gguf } = await ensureTinyModel();
    const folder = await mkdtemp(join(tmpdir(), "rolltape-damaged-"));
    const modelPath = join(folder, "model.gguf");
    await writeFile(modelPath, (await readFile(gguf)).subarray(0, 300_000));
    await expect(createEmbeddedEngine({ modelPath })).rejects.toThrow(/load/);
    await rm(folder, { recursive: true });
  });

  it("fails the start with installation instructions if llama.cpp is missing", async () => {
    const missing = importLlama(() => Promise.reject(new Error("Cannot find package 'node-llama-cpp'")));
    await expect(missing).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(missing).rejects.toThrow(/npm install .*node-llama-cpp@/);
  });

  it("fails the start with the package to install if llama.cpp has no binaries for this platform", async () => {
    const llama = await importLlama();
    const getLlama = () => Promise.reject(new llama.NoBinaryFoundError());
    const opening = openLlama({ ...llama, getLlama }, 1);
    await expect(opening).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(opening).rejects.toThrow(`npm install @node-llama-cpp/${process.platform}-${process.arch}@3.22.1`);
  });
});

describe("closing", () => {
  it("fails running, waiting and later calls with engine_unavailable", async () => {
    const closing = await createEmbeddedEngine({ contextSize: 2048, sequences: 1 });
    const calls = [1, 2, 3].map((n) => closing.generate(makeCall(makePrompt(10, n), { maxTokens: 2000 })));
    const outcomes = Promise.allSettled(calls);
    await Promise.all([closing.close(), closing.close()]);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "engine_unavailable" } });
    }
    await expect(closing.generate(makeCall(makePrompt(4)))).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(closing.health()).rejects.toMatchObject({ code: "engine_unavailable" });
  });
});
