import type { ControlledEvaluateInputItem, LlamaContextSequence, Token } from "node-llama-cpp";
import { describe, expect, it } from "vitest";
import { CachedTokens } from "../../../src/engine/embedded/cached-tokens.js";
import { decode, type LlamaSlot, type RunStep, reuseCache } from "../../../src/engine/embedded/decode.js";
import { OutputWriter } from "../../../src/engine/embedded/output-writer.js";
import { Sampler } from "../../../src/engine/embedded/sampler.js";
import type { SamplingParams } from "../../../src/engine/engine.js";
import { native } from "../../../src/native/addon.js";
import { PLAIN } from "../generate-call.js";

/** A sequence of llama.cpp whose tokens count upwards from 100. The text of token 105 is "<105>". */
class CountingSequence {
  /** Numbers of tokens that were evaluated at once, negative if no token was sampled after them. */
  readonly evaluated: number[] = [];
  readonly cuts: number[][] = [];
  readonly model = { detokenize: (ids: readonly number[]) => ids.map((id) => `<${id}>`).join("") };
  nextTokenIndex = 0;
  #next = 100;

  async adaptStateToTokens(tokens: number[], allowShift: boolean): Promise<void> {
    if (allowShift) throw new Error("the cache must not be shifted");
    this.cuts.push(tokens);
  }

  async evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void> {
    this.evaluated.push(-tokens.length);
  }

  async controlledEvaluate(items: ControlledEvaluateInputItem[]) {
    this.evaluated.push(items.length);
    const sampling = items.map((item) => Array.isArray(item));
    if (sampling.indexOf(true) !== items.length - 1) throw new Error("only the last token is sampled from");
    return items.map((_, index) => (sampling[index] ? { next: { token: this.#next++, confidence: 1 } } : undefined));
  }
}

const makeSlot = (sequence: object, capacity = 4096): LlamaSlot => ({
  sequence: sequence as LlamaContextSequence,
  cached: new CachedTokens(capacity),
  affinityKey: undefined,
  lastUsed: 0,
  busy: true,
});

const upTo = (length: number) => Array.from({ length }, (_, index) => index as Token);

interface Run {
  readonly prompt?: number;
  readonly sampling?: Partial<SamplingParams>;
  readonly runStep?: RunStep;
  readonly currentVersion?: () => number;
}

async function run(
  slot: LlamaSlot,
  { prompt = 3, sampling, runStep = (step) => step(), currentVersion = () => 1 }: Run = {},
) {
  const params = { ...PLAIN, maxTokens: 4, ...sampling };
  const generation = new native.Generation();
  const writer = new OutputWriter(generation, 0, undefined);
  const call = { sampling: params, currentVersion };
  const decoded = await decode(slot, upTo(prompt), new Sampler(params, 1, 512), call, writer, runStep);
  writer.flush();
  return { ...decoded, ids: Array.from(generation.ids()), versions: Array.from(generation.versions()) };
}

describe("a generation", () => {
  it("ends at the token limit", async () => {
    const sequence = new CountingSequence();
    const slot = makeSlot(sequence);
    expect(await run(slot)).toMatchObject({ finish: { reason: "length" }, resumes: 0, ids: [100, 101, 102, 103] });
    expect(sequence.evaluated).toEqual([3, 1, 1, 1]);
    // The last sampled token was not evaluated.
    expect(slot.cached.length).toBe(6);
    expect(slot.cached.commonPrefix(Int32Array.of(0, 1, 2, 100, 101, 102, 103))).toBe(6);
  });

  it("ends at a stop token", async () => {
    const { finish, ids } = await run(makeSlot(new CountingSequence()), { sampling: { stopTokenIds: [7, 101] } });
    expect([finish, ids]).toEqual([{ reason: "stop", matched: 101 }, [100, 101]]);
  });

  it("ends at a stop string", async () => {
    const sampling = { stop: ["1><10", "none"], maxTokens: 9 };
    const { finish, ids } = await run(makeSlot(new CountingSequence()), { sampling });
    expect([finish, ids]).toEqual([{ reason: "stop", matched: "1><10" }, [100, 101, 102]]);
  });

  it("evaluates a long prompt in pieces, from the first token that is not cached", async () => {
    const sequence = new CountingSequence();
    const slot = makeSlot(sequence);
    slot.cached.append(upTo(10));
    await run(slot, { prompt: 10 + 2 * 1024 + 5, sampling: { maxTokens: 1 } });
    expect(sequence.evaluated).toEqual([-1024, -1024, 5]);
    expect(slot.cached.length).toBe(10 + 2 * 1024 + 5);
  });

  it("evaluates a prompt of one piece at once", async () => {
    const sequence = new CountingSequence();
    await run(makeSlot(sequence), { prompt: 1024, sampling: { maxTokens: 1 } });
    expect(sequence.evaluated).toEqual([1024]);
  });

  it("goes on with new weights, evaluates prompt and output again, and has the version of each", async () => {
    const [old, renewed] = [new CountingSequence(), new CountingSequence()];
    const slot = makeSlot(old);
    let [steps, version] = [0, 1];
    const runStep: RunStep = (step) => {
      if (steps++ === 2) {
        slot.sequence = renewed as object as LlamaContextSequence;
        slot.cached.truncate(0);
        version = 2;
      }
      return step();
    };
    const { resumes, versions } = await run(slot, { runStep, currentVersion: () => version });
    expect([resumes, versions]).toEqual([1, [1, 1, 2, 2]]);
    expect([old.evaluated, renewed.evaluated]).toEqual([
      [3, 1],
      [5, 1],
    ]);
  });

  it("keeps its version if the weights stay, whatever is current", async () => {
    let version = 1;
    const { versions } = await run(makeSlot(new CountingSequence()), { currentVersion: () => version++ });
    expect(versions).toEqual([1, 1, 1, 1]);
  });

  it("does not count as resumed if the weights were replaced before its first token", async () => {
    const slot = makeSlot(new CountingSequence());
    const runStep: RunStep = (step) => {
      if (slot.cached.length === 1024) slot.sequence = new CountingSequence() as object as LlamaContextSequence;
      return step();
    };
    expect((await run(slot, { prompt: 1030, runStep })).resumes).toBe(0);
  });

  it("fails if llama.cpp returns nothing for the last token", async () => {
    const sequence = Object.assign(new CountingSequence(), { controlledEvaluate: async () => [] });
    await expect(run(makeSlot(sequence))).rejects.toThrow("llama.cpp returned no result for the last token");
  });
});

describe("the cache of a slot", () => {
  async function reuse(cached: number, prompt: number, shared: number, kept = shared) {
    const sequence = new CountingSequence();
    sequence.nextTokenIndex = kept;
    const slot = makeSlot(sequence);
    slot.cached.append(upTo(cached));
    return { length: await reuseCache(slot, upTo(prompt), shared), cuts: sequence.cuts };
  }

  it("is kept as it is if the prompt continues it", async () => {
    expect(await reuse(5, 8, 5)).toEqual({ length: 5, cuts: [] });
  });

  it("is cut to what the prompt shares with it", async () => {
    expect(await reuse(9, 8, 5)).toEqual({ length: 5, cuts: [upTo(5)] });
  });

  it("never has the last token of the prompt", async () => {
    expect(await reuse(8, 8, 8, 7)).toEqual({ length: 7, cuts: [upTo(7)] });
  });

  it("has less if the model cannot cut it there", async () => {
    expect(await reuse(9, 8, 5, 2)).toEqual({ length: 2, cuts: [upTo(5)] });
  });
});
