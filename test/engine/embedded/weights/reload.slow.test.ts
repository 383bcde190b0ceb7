import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedEngine } from "../../../../src/engine/embedded/embedded-engine.js";
import { ensureTinyModel } from "../../../../src/engine/embedded/tiny-model/ensure.js";
import type { Engine, GenerateCall, LocalWeights } from "../../../../src/engine/engine.js";
import { startScorer } from "../../../helpers/embedded-scorer.js";
import { type TinyCheckpoint, writeTinyCheckpoint } from "../../../helpers/tiny-checkpoint.js";
import { until } from "../../../helpers/until.js";
import { makeCall, makePrompt } from "../../generate-call.js";

const TOLERANCE = 1e-3;
const GREEDY = { temperature: 0 };

let folder: string;
let other: TinyCheckpoint;
let engine: Engine;
let weights: Required<LocalWeights>;
let version: number;
const currentVersion = () => version;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rolltape-reload-"));
  other = await writeTinyCheckpoint(join(folder, "other"), 77);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  engine = await createEmbeddedEngine({ contextSize: 2048, sequences: 2 });
  weights = requireWeights(engine);
  version = 1;
});
afterEach(() => engine.close());

function requireWeights({ localWeights }: Engine): Required<LocalWeights> {
  if (!localWeights?.prepare) throw new Error("the engine cannot replace its weights");
  return localWeights as Required<LocalWeights>;
}

/** Replaces the weights in one pause. The next version is in effect when the calls go on. */
async function reload(path: string): Promise<void> {
  const prepared = await weights.prepare(path);
  await weights.pause();
  await prepared.apply();
  version++;
  weights.resume();
}

/** Starts a call, and pauses the engine exactly when the call has `length` tokens. */
async function holdAt(
  length: number,
  call: GenerateCall,
  signal?: AbortSignal,
): Promise<{ readonly outcome: ReturnType<Engine["generate"]> }> {
  let pausing: Promise<void> | undefined;
  const onTokens = () => {
    if (call.generation.length === length) pausing = weights.pause();
  };
  const outcome = engine.generate({ ...call, onTokens }, signal);
  outcome.catch(() => undefined);
  await until(() => pausing !== undefined);
  await pausing;
  return { outcome };
}

async function applyAndResume(path: string): Promise<void> {
  await weights.load(path);
  version++;
  weights.resume();
}

/** Generates with an engine of its own. */
async function generateFresh(modelPath: string, call: GenerateCall): Promise<number[]> {
  const fresh = await createEmbeddedEngine({ modelPath, contextSize: 2048, sequences: 1 });
  await fresh.generate(call);
  await fresh.close();
  return Array.from(call.generation.ids());
}

async function logprobError({ prompt, generation }: GenerateCall, modelPath: string, from = 0): Promise<number> {
  const scorer = await startScorer({ modelPath, contextSize: 2048 });
  const scored = await scorer.scoreTokens(prompt.tokens(), generation.ids(), 1);
  await scorer.close();
  const errors = generation.logprobs().map((logprob, index) => Math.abs(logprob - (scored[index] ?? Number.NaN)));
  return Math.max(...errors.slice(from));
}

describe("a generation in flight", () => {
  for (const format of ["gguf", "folder"] as const) {
    it(`continues with the new weights (${format}) from its exact tokens, and versions change at the boundary`, async () => {
      const call = makeCall(makePrompt(50), { ...GREEDY, maxTokens: 60 }, { currentVersion });
      const { outcome } = await holdAt(20, call);
      expect(call.generation.length).toBe(20);
      await applyAndResume(other[format]);
      expect(await outcome).toMatchObject({ finish: { reason: "length" }, resumes: 1, cachedTokens: 0 });
      const ids = Array.from(call.generation.ids());
      expect(Array.from(call.generation.versions())).toEqual(ids.map((_, index) => (index < 20 ? 1 : 2)));
      const rest = makeCall([...makePrompt(50), ...ids.slice(0, 20)], { ...GREEDY, maxTokens: 40 });
      expect(ids.slice(20)).toEqual(await generateFresh(other.gguf, rest));
      const before = makeCall(makePrompt(50), { ...GREEDY, maxTokens: 20 });
      expect(ids.slice(0, 20)).toEqual(await generateFresh((await ensureTinyModel()).gguf, before));
      expect(await logprobError(call, other.gguf, 20)).toBeLessThan(TOLERANCE);
    });
  }

  it("continues across two reloads, also if its prompt is longer than one step", async () => {
    const call = makeCall(makePrompt(1500), { ...GREEDY, maxTokens: 40 }, { currentVersion });
    const { outcome } = await holdAt(10, call);
    await applyAndResume(other.gguf);
    await weights.pause();
    await applyAndResume((await ensureTinyModel()).folder);
    const { resumes } = await outcome;
    expect(resumes).toBeGreaterThanOrEqual(1);
    const versions = Array.from(call.generation.versions());
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions.at(0)).toBe(1);
    expect(versions.at(-1)).toBe(3);
    const from = versions.indexOf(3);
    expect(await logprobError(call, (await ensureTinyModel()).gguf, from)).toBeLessThan(TOLERANCE);
  });

  it("keeps its random numbers, penalties, least number of tokens and stop strings", async () => {
    const { gguf } = await ensureTinyModel();
    const sampling = {
      seed: 5,
      topK: 40,
      topP: 0.95,
      repetitionPenalty: 1.1,
      frequencyPenalty: 0.2,
      minTokens: 30,
      maxTokens: 60,
      stopTokenIds: Array.from({ length: 256 }, (_, index) => 2 * index),
      topLogprobs: 2,
    };
    const whole = makeCall(makePrompt(30), sampling);
    await engine.generate(whole);
    expect(whole.generation.length).toBeGreaterThan(30);
    expect(whole.generation.ids().findIndex((id) => id % 2 === 0)).toBe(whole.generation.length - 1);
    const cut = makeCall(makePrompt(30), sampling, { currentVersion });
    const { outcome } = await holdAt(17, cut);
    await applyAndResume(gguf);
    expect((await outcome).finish).toEqual({ reason: "stop", matched: whole.generation.ids().at(-1) });
    expect(cut.generation.ids()).toEqual(whole.generation.ids());
    expect(cut.generation.top()?.ids).toEqual(whole.generation.top()?.ids);
  });

  it("finds a stop string that begins before the boundary and ends after it", async () => {
    const { gguf } = await ensureTinyModel();
    const free = makeCall(makePrompt(30), { seed: 21, maxTokens: 100 });
    await engine.generate(free);
    const scorer = await startScorer();
    const stop = scorer.detokenize(free.generation.ids().slice(17, 23));
    await scorer.close();
    const call = makeCall(makePrompt(30), { seed: 21, maxTokens: 100, stop: [stop] }, { currentVersion });
    const { outcome } = await holdAt(20, call);
    await applyAndResume(gguf);
    expect((await outcome).finish).toEqual({ reason: "stop", matched: stop });
    expect(call.generation.ids()).toEqual(free.generation.ids().slice(0, 23));
  });

  it("continues without a resume if the pause ends without new weights", async () => {
    const plain = makeCall(makePrompt(40), { seed: 3, maxTokens: 40 });
    await engine.generate(plain);
    const call = makeCall(makePrompt(40), { seed: 3, maxTokens: 40 }, { currentVersion, affinityKey: "other" });
    const { outcome } = await holdAt(9, call);
    version = 8;
    weights.resume();
    expect((await outcome).resumes).toBe(0);
    expect(call.generation.ids()).toEqual(plain.generation.ids());
    expect(new Set(call.generation.versions())).toEqual(new Set([1]));
  });

  it("can be aborted during the pause", async () => {
    const controller = new AbortController();
    const call = makeCall(makePrompt(20), { maxTokens: 500 });
    const { outcome } = await holdAt(5, call, controller.signal);
    controller.abort(new Error("the agent left"));
    await expect(outcome).rejects.toThrow("the agent left");
    expect(engine.load?.running).toBe(0);
  });
});

describe("calls during the pause", () => {
  it("wait in their slots and in the queue, can be aborted, and generate with the new weights", async () => {
    await weights.pause();
    const controller = new AbortController();
    const calls = Array.from({ length: 4 }, (_, n) =>
      makeCall(makePrompt(20, n), { ...GREEDY, maxTokens: 10 }, { currentVersion, affinityKey: `${n}` }),
    );
    const outcomes = calls.map((call, n) => engine.generate(call, n % 2 ? controller.signal : undefined));
    expect(engine.load).toMatchObject({ running: 2, waiting: 2 });
    controller.abort(new Error("no longer"));
    await expect(outcomes[1]).rejects.toThrow("no longer");
    await expect(outcomes[3]).rejects.toThrow("no longer");
    await applyAndResume(other.folder);
    for (const index of [0, 2]) {
      const call = calls[index] ?? makeCall([]);
      expect((await outcomes[index])?.resumes).toBe(0);
      expect(new Set(call.generation.versions())).toEqual(new Set([2]));
      expect(await logprobError(call, other.gguf)).toBeLessThan(TOLERANCE);
    }
  });

  it("fail when the engine closes", async () => {
    const { outcome } = await holdAt(5, makeCall(makePrompt(20), { maxTokens: 500 }));
    await engine.close();
    await expect(outcome).rejects.toMatchObject({ code: "engine_unavailable" });
    await expect(weights.prepare(other.gguf)).rejects.toMatchObject({ code: "engine_unavailable" });
  });
});

describe("the prefix cache", () => {
  it("keeps nothing of the old weights", async () => {
    const prompt = makePrompt(100);
    await engine.generate(makeCall(prompt, { maxTokens: 5 }));
    expect((await engine.generate(makeCall(prompt, { maxTokens: 5 }))).cachedTokens).toBe(99);
    await reload(other.gguf);
    const call = makeCall(prompt, { maxTokens: 20, seed: 1 }, { currentVersion });
    expect((await engine.generate(call)).cachedTokens).toBe(0);
    expect(await logprobError(call, other.gguf)).toBeLessThan(TOLERANCE);
    const next = makeCall([...prompt, ...call.generation.ids(), 300], { maxTokens: 5 }, { currentVersion });
    expect((await engine.generate(next)).cachedTokens).toBe(119);
  });
});

describe("the order of calls", () => {
  it("is pause, then apply: weights cannot be replaced without a pause", async () => {
    await expect(weights.load(other.gguf)).rejects.toThrow("Weights can be replaced only during a pause.");
    const prepared = await weights.prepare(other.gguf);
    await expect(prepared.apply()).rejects.toThrow("only during a pause");
    await weights.pause();
    await prepared.apply();
    await expect(prepared.apply()).rejects.toThrow("already applied or discarded");
    await prepared.discard();
    const discarded = await weights.prepare(other.gguf);
    await discarded.discard();
    await discarded.discard();
    await expect(discarded.apply()).rejects.toThrow("already applied or discarded");
    weights.resume();
    const call = makeCall(makePrompt(20), { maxTokens: 10 });
    await engine.generate(call);
    expect(await logprobError(call, other.gguf)).toBeLessThan(TOLERANCE);
  });

  it("allows prepared weights to be discarded by closing the engine", async () => {
    await weights.prepare(other.gguf);
    await expect(engine.close()).resolves.toBeUndefined();
  });
});
