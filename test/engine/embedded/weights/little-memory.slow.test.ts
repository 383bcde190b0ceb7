import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createEmbeddedEngine } from "../../../../src/engine/embedded/embedded-engine.js";
import { LlamaRuntime } from "../../../../src/engine/embedded/runtime.js";
import { hasMemoryFor } from "../../../../src/engine/embedded/weights/free-memory.js";
import type { Engine, GenerateCall } from "../../../../src/engine/engine.js";
import { type TinyCheckpoint, writeTinyCheckpoint } from "../../../helpers/tiny-checkpoint.js";
import { makeCall, makePrompt } from "../../generate-call.js";

vi.mock(import("../../../../src/engine/embedded/weights/free-memory.js"), async (original) => {
  const { hasMemoryFor: real } = await original();
  return { hasMemoryFor: vi.fn<typeof real>(real) };
});

let folder: string;
let other: TinyCheckpoint;
let engine: Engine;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rolltape-memory-"));
  other = await writeTinyCheckpoint(folder, 77);
});
afterAll(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  engine = await createEmbeddedEngine({ contextSize: 512, sequences: 2 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.mocked(hasMemoryFor).mockReset();
  await engine.close();
});

const prompt = makePrompt(40);

async function generate(subject: Engine): Promise<GenerateCall> {
  const call = makeCall(prompt, { temperature: 0, maxTokens: 40 });
  await subject.generate(call);
  return call;
}

describe("without memory for a second cache", () => {
  beforeEach(() => void vi.mocked(hasMemoryFor).mockReturnValue(false));

  it("replaces the caches during the pause", async () => {
    const openModel = vi.spyOn(LlamaRuntime.prototype, "openModel");
    const prepared = await engine.localWeights?.prepare?.(other.folder);
    expect(openModel).not.toHaveBeenCalled();
    await engine.localWeights?.pause();
    await prepared?.apply();
    engine.localWeights?.resume();
    expect(openModel).toHaveBeenCalledOnce();
    const fresh = await createEmbeddedEngine({ modelPath: other.gguf, contextSize: 512, sequences: 1 });
    expect((await generate(engine)).generation.ids()).toEqual((await generate(fresh)).generation.ids());
    await fresh.close();
  });

  it("creates the old caches again if the new ones cannot be created, and a repetition succeeds", async () => {
    const before = (await generate(engine)).generation.ids();
    const openModel = vi.spyOn(LlamaRuntime.prototype, "openModel");
    openModel.mockRejectedValueOnce(new Error("no memory"));
    await engine.localWeights?.pause();
    await expect(engine.localWeights?.load(other.folder)).rejects.toMatchObject({
      code: "engine_error",
      message: `Weights ${other.folder} cannot be loaded: no memory`,
    });
    engine.localWeights?.resume();
    const call = makeCall(prompt, { temperature: 0, maxTokens: 40 });
    expect((await engine.generate(call)).cachedTokens).toBe(0);
    expect(call.generation.ids()).toEqual(before);
    await engine.localWeights?.pause();
    await engine.localWeights?.load(other.folder);
    engine.localWeights?.resume();
    expect((await generate(engine)).generation.ids()).not.toEqual(before);
  });
});

describe("a second cache that cannot be created", () => {
  it("rejects the preparation, and the engine goes on and closes", async () => {
    const before = (await generate(engine)).generation.ids();
    const create = vi.spyOn(LlamaRuntime.prototype, "openModel").mockRejectedValueOnce(new Error("no memory"));
    await expect(engine.localWeights?.prepare?.(other.gguf)).rejects.toThrow("no memory");
    expect(create).toHaveBeenCalledOnce();
    expect((await generate(engine)).generation.ids()).toEqual(before);
  });
});

describe("hasMemoryFor", () => {
  it("is true for a megabyte, and false for a petabyte", async () => {
    const { hasMemoryFor: real } = await vi.importActual<
      typeof import("../../../../src/engine/embedded/weights/free-memory.js")
    >("../../../../src/engine/embedded/weights/free-memory.js");
    expect(real(2 ** 20)).toBe(true);
    expect(real(2 ** 50)).toBe(false);
  });
});
