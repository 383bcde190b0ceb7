import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../src/engine/embedded/embedded-engine.js";
import { importLlama, LLAMA_VERSION, openLlama } from "../../../src/engine/embedded/import-llama.js";
import { ensureTinyModel, type TinyModel } from "../../../src/engine/embedded/tiny-model/ensure.js";
import type { Engine, EngineLoad, GenerateCall, LocalWeights } from "../../../src/engine/engine.js";
import { type TinyCheckpoint, writeTinyCheckpoint } from "../../helpers/tiny-checkpoint.js";
import { until } from "../../helpers/until.js";
import { makeCall, makePrompt } from "../generate-call.js";

/** One engine with a small context. embedded-engine.slow.test.ts compares what it records with the model. */

const CONTEXT = 256;
const GREEDY = { temperature: 0, maxTokens: 6 };

let scratch: string;
let other: TinyCheckpoint;
let engine: Engine;
let weights: Required<LocalWeights>;
let initial: TinyModel;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), "rolltape-embedded-"));
  other = await writeTinyCheckpoint(join(scratch, "other"), 77);
  initial = await ensureTinyModel();
  engine = await createEmbeddedEngine({ contextSize: CONTEXT, sequences: 2 });
  weights = engine.localWeights as Required<LocalWeights>;
});
afterAll(async () => {
  await engine.close();
  rmSync(scratch, { recursive: true });
});

const load = (): EngineLoad | undefined => engine.load;

/** Returns the ids that the engine generates greedily. */
async function fingerprint(subject = engine): Promise<number[]> {
  const call = makeCall(makePrompt(20), GREEDY, { affinityKey: String(Math.random()) });
  await subject.generate(call);
  return Array.from(call.generation.ids());
}

/** Starts a call that waits in a pause after its first token. */
async function startHeld(rest: Partial<GenerateCall> = {}, signal?: AbortSignal) {
  let pausing: Promise<void> | undefined;
  const call = makeCall(makePrompt(20), { ...GREEDY, maxTokens: 9 });
  const onTokens = () => void (pausing ??= weights.pause());
  const outcome = engine.generate({ ...call, ...rest, onTokens }, signal);
  outcome.catch(() => undefined);
  await until(() => pausing !== undefined);
  await pausing;
  return { call, outcome };
}

describe("the embedded engine", () => {
  it("says what it is, and what it supports", async () => {
    expect([engine.type, await engine.contextLength()]).toEqual(["embedded", CONTEXT]);
    expect(engine.supports).toEqual({ grammar: false, stopsWithoutEos: true });
    expect([0, 1e-7, 1e-6, 0.5].map((temperature) => engine.effectiveTemperature?.(temperature, 0))).toEqual([
      0, 0, 1e-6, 0.5,
    ]);
    await expect(engine.health()).resolves.toBeUndefined();
    expect(load()).toEqual({ running: 0, waiting: 0, maxRunning: 2 });
  });

  it("records tokens, and says how many of the prompt were cached", async () => {
    const placed: string[] = [];
    const call = makeCall(
      makePrompt(20),
      { ...GREEDY, topLogprobs: 2 },
      { affinityKey: "cache", currentVersion: () => 4 },
    );
    const onPlaced = () => void placed.push(String(load()?.running));
    expect(await engine.generate({ ...call, onPlaced })).toEqual({
      finish: { reason: "length" },
      cachedTokens: 0,
      resumes: 0,
      logprobs: "temperature",
    });
    expect([placed, call.generation.length, call.generation.top()?.ids.length]).toEqual([["1"], 6, 12]);
    expect(Array.from(call.generation.versions())).toEqual(Array<number>(6).fill(4));
    expect(load()?.running).toBe(0);
    const again = makeCall([...makePrompt(20), ...call.generation.ids()], GREEDY, { affinityKey: "cache" });
    expect((await engine.generate(again)).cachedTokens).toBe(25);
  });

  it("samples the same tokens with the same seed, and others without one", async () => {
    const sample = async (seed?: number) => {
      const call = makeCall(makePrompt(20), { maxTokens: 20, seed });
      await engine.generate(call);
      return Array.from(call.generation.ids());
    };
    expect(await sample(5)).toEqual(await sample(5));
    expect(await sample()).not.toEqual(await sample());
  });

  it("says that it ignores a thinking budget", async () => {
    const ignored: string[] = [];
    const onIgnored = (param: string) => void ignored.push(param);
    for (const thinkingBudget of [undefined, 5])
      await engine.generate(makeCall(makePrompt(5), { ...GREEDY, thinkingBudget }, { onIgnored }));
    expect(ignored).toEqual(["thinkingBudget"]);
  });

  it("fills its context, and no more", async () => {
    const fits = makeCall([0, 511, ...makePrompt(CONTEXT - 4)], { maxTokens: 2 });
    expect((await engine.generate(fits)).finish).toEqual({ reason: "length" });
  });

  const call = (prompt: readonly number[], sampling: object) => () => makeCall(prompt, { ...GREEDY, ...sampling });

  it.each<[string, () => GenerateCall, string, string]>([
    ["an empty prompt", call([], {}), "engine_error", "The prompt must have at least one token."],
    ["no token", call([5], { maxTokens: 0 }), "engine_error", "maxTokens must be at least 1; received 0."],
    [
      "a grammar",
      call([5], { grammar: { kind: "regex", pattern: "a" } }),
      "engine_error",
      "The embedded engine does not support grammars.",
    ],
    [
      "an unknown id",
      call([5, 512], {}),
      "engine_error",
      "The prompt contains a token id that is not in the model's vocabulary.",
    ],
    [
      "a bias of an unknown id",
      call([5], {
        logitBias: [
          [511, 1],
          [512, 1],
        ],
      }),
      "engine_rejected_request",
      "logit_bias must have token ids below 512; received 512.",
    ],
    [
      "too many tokens",
      call(makePrompt(CONTEXT - 1), { maxTokens: 2 }),
      "engine_rejected_request",
      "255 prompt and 2 output tokens exceed the context of 256.",
    ],
  ])("refuses %s", async (_, make, code, message) => {
    await expect(engine.generate(make())).rejects.toMatchObject({ code, message });
    expect(load()).toEqual({ running: 0, waiting: 0, maxRunning: 2 });
  });

  it("does not begin a call whose client has left", async () => {
    const reason = new Error("left");
    await expect(engine.generate(makeCall([5], GREEDY), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("stops a call whose client leaves, and has nothing of it in its cache", async () => {
    const client = new AbortController();
    const reason = new Error("left");
    const left = makeCall(
      makePrompt(30),
      { maxTokens: 200 },
      { affinityKey: "left", onTokens: () => client.abort(reason) },
    );
    await expect(engine.generate(left, client.signal)).rejects.toBe(reason);
    expect(load()?.running).toBe(0);
    await engine.generate(makeCall(makePrompt(30), GREEDY, { affinityKey: "left" }));
  });

  it("reports a failure of llama.cpp without its details", async () => {
    const broken = makeCall(makePrompt(20), GREEDY, {
      onTokens: () => {
        throw new Error("inside");
      },
    });
    const failed = engine.generate(broken);
    await expect(failed).rejects.toMatchObject({
      code: "engine_error",
      message: "The embedded engine failed.",
      cause: { message: "inside" },
    });
    expect(load()?.running).toBe(0);
  });
});

describe("new weights", () => {
  it.each(["folder", "gguf"] as const)(
    "are used by calls in flight and later ones, until others are loaded (%s)",
    async (format) => {
      const before = await fingerprint();
      let version = 1;
      const { call, outcome } = await startHeld({ currentVersion: () => version });
      await weights.load(other[format]);
      version = 2;
      weights.resume();
      expect(await outcome).toMatchObject({ resumes: 1 });
      expect(new Set(call.generation.versions())).toEqual(new Set([1, 2]));
      const after = await fingerprint();
      expect(after).not.toEqual(before);
      await weights.pause();
      await weights.load(initial.folder);
      weights.resume();
      expect(await fingerprint()).toEqual(before);
    },
  );

  it("can be prepared while calls run, and are applied once, in a pause", async () => {
    const before = await fingerprint();
    const prepared = await weights.prepare(other.gguf);
    await expect(prepared.apply()).rejects.toThrow("Weights can be replaced only during a pause.");
    await weights.pause();
    await prepared.apply();
    await expect(prepared.apply()).rejects.toThrow("The weights were already applied or discarded.");
    await prepared.discard();
    weights.resume();
    // Both slots had this prompt.
    expect((await engine.generate(makeCall(makePrompt(20), GREEDY))).cachedTokens).toBe(0);
    expect(await fingerprint()).not.toEqual(before);
    const discarded = await weights.prepare(initial.folder);
    for (const _ of ["once", "again"]) await discarded.discard();
    await weights.pause();
    await expect(discarded.apply()).rejects.toThrow("already applied or discarded");
    await weights.load(initial.folder);
    weights.resume();
    expect(await fingerprint()).toEqual(before);
  });

  it("are loaded only during a pause", async () => {
    await expect(weights.load(other.gguf)).rejects.toThrow("Weights can be replaced only during a pause.");
  });

  it.each<[string, () => string, RegExp]>([
    ["a missing file", () => join(scratch, "none"), /^Weights .*none cannot be loaded: ENOENT/],
    [
      "a file of something else",
      () => write("else", "something"),
      /^Weights .*else cannot be loaded: the file is no GGUF/,
    ],
    [
      "a damaged GGUF file",
      () => write("damaged", "GGUF and no more"),
      /damaged cannot be loaded: it is not a GGUF file/,
    ],
    ["a folder without weights", () => scratch, /^Weights .* cannot be loaded: ENOENT.*config\.json/],
  ])("are refused with the path: %s", async (_, path, message) => {
    await expect(weights.prepare(path())).rejects.toMatchObject({ code: "engine_error" });
    await expect(weights.prepare(path())).rejects.toThrow(message);
  });

  function write(name: string, content: string): string {
    writeFileSync(join(scratch, name), content);
    return join(scratch, name);
  }
});

describe("a pause", () => {
  it("holds calls, which go on without new weights, and whose clients may leave", async () => {
    const client = new AbortController();
    const { outcome } = await startHeld();
    const leaving = engine.generate(makeCall(makePrompt(5), GREEDY), client.signal);
    await until(() => load()?.running === 2);
    const waiting = engine.generate(makeCall(makePrompt(5), GREEDY, { affinityKey: "waiting" }));
    expect(load()).toEqual({ running: 2, waiting: 1, maxRunning: 2 });
    client.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    weights.resume();
    expect([(await outcome).resumes, (await waiting).resumes]).toEqual([0, 0]);
  });
});

describe("an engine that cannot start", () => {
  it.each([
    { sequences: 0 },
    { sequences: 1.5 },
    { contextSize: 0 },
    { threads: -1 },
    { timeoutSeconds: -1 },
    { timeoutSeconds: Number.NaN },
  ])("is refused for %o", async (options) => {
    const [name = ""] = Object.keys(options);
    await expect(createEmbeddedEngine(options)).rejects.toThrow(new RegExp(`^${name} must be`));
  });

  it("names a model file that is missing", async () => {
    await expect(createEmbeddedEngine({ modelPath: "/nowhere/model.gguf" })).rejects.toThrow(/model\.gguf/);
  });

  it("says how to install llama.cpp", async () => {
    const missing = importLlama(() => Promise.reject(new Error("Cannot find package 'node-llama-cpp'")));
    await expect(missing).rejects.toMatchObject({
      code: "engine_unavailable",
      message: `The embedded engine requires llama.cpp: npm install node-llama-cpp@${LLAMA_VERSION}.`,
    });
  });

  it("says which binaries of llama.cpp are missing, and neither builds nor downloads any", async () => {
    const llama = await importLlama();
    const asked: unknown[] = [];
    const getLlama = (options: unknown) => {
      asked.push(options);
      return Promise.reject(asked.length === 1 ? new llama.NoBinaryFoundError() : new Error("other"));
    };
    const opening = openLlama({ ...llama, getLlama } as typeof llama, 3);
    await expect(opening).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(opening).rejects.toThrow(
      `npm install @node-llama-cpp/${process.platform}-${process.arch}@${LLAMA_VERSION}`,
    );
    expect(asked).toEqual([
      { gpu: false, build: "never", maxThreads: 3, progressLogs: false, logLevel: llama.LlamaLogLevel.error },
    ]);
    await expect(openLlama({ ...llama, getLlama } as typeof llama, 1)).rejects.toThrow("other");
  });
});

describe("an engine that is closed", () => {
  it("fails running, waiting and later calls, and weights", async () => {
    const closing = await createEmbeddedEngine({ contextSize: CONTEXT, sequences: 1 });
    const calls = [1, 2].map((n) => closing.generate(makeCall(makePrompt(10, n), { maxTokens: 200 })));
    const outcomes = Promise.allSettled(calls);
    await Promise.all([closing.close(), closing.close()]);
    const closed = { code: "engine_unavailable", message: "The engine is closed." };
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: closed });
    await expect(closing.generate(makeCall(makePrompt(4)))).rejects.toMatchObject(closed);
    await expect(closing.health()).rejects.toMatchObject(closed);
    await expect(closing.localWeights?.prepare?.(other.gguf)).rejects.toMatchObject(closed);
    await expect(closing.localWeights?.load(other.gguf)).rejects.toMatchObject(closed);
  });
});
