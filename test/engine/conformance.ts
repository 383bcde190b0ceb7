import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { callOf, promptOf } from "./generate-call.js";

/** An engine under test, with what the suite needs to know of it. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** Takes so long for a call of 400 tokens that it can be aborted meanwhile. */
  readonly slow: Engine;
  readonly contextLength: number;
  stop(): Promise<void>;
}

/** What the rest of the proxy relies on, whichever engine it talks to. */
export function describeEngine(type: string, start: () => Promise<EngineUnderTest>): void {
  describe(`the ${type} engine as an Engine`, () => {
    let subject: EngineUnderTest;
    let engine: Engine;
    beforeAll(async () => {
      subject = await start();
      engine = subject.engine;
    });
    afterAll(() => subject.stop());

    it("says its type, its context length and that it is healthy", async () => {
      expect(engine.type).toBe(type);
      expect(await engine.contextLength()).toBe(subject.contextLength);
      await expect(engine.health()).resolves.toBeUndefined();
    });

    it("puts ids, log probabilities and versions of equal number into the generation", async () => {
      const call = callOf(promptOf(10), { maxTokens: 6 }, { currentVersion: () => 41 });
      const { finish, resumes } = await engine.generate(call);
      expect(finish).toEqual({ reason: "length" });
      expect(resumes).toBe(0);
      expect(call.generation.length).toBe(6);
      expect(call.generation.ids().every((id) => id >= 0)).toBe(true);
      expect(call.generation.logprobs().every((logprob) => Number.isFinite(logprob) && logprob <= 0)).toBe(true);
      expect(Array.from(call.generation.versions())).toEqual([41, 41, 41, 41, 41, 41]);
      expect(call.generation.top()).toBeUndefined();
    });

    it("ends with a stop token, which stays in the output", async () => {
      const anything = Array.from({ length: 512 }, (_, id) => id);
      const call = callOf(promptOf(10), { maxTokens: 30, stopTokenIds: anything });
      const { finish } = await engine.generate(call);
      const last = call.generation.ids().at(-1);
      expect(finish).toEqual({ reason: "stop", matched: last });
      expect(call.generation.length).toBeLessThan(30);
    });

    it("samples a single token when asked for one", async () => {
      const call = callOf(promptOf(3), { maxTokens: 1 });
      expect((await engine.generate(call)).finish).toEqual({ reason: "length" });
      expect(call.generation.length).toBe(1);
    });

    it("records alternatives per token", async () => {
      const call = callOf(promptOf(10), { maxTokens: 5, topLogprobs: 4 });
      await engine.generate(call);
      const top = call.generation.top();
      expect(top?.width).toBe(4);
      expect(top?.ids).toHaveLength(20);
      expect(top?.logprobs).toHaveLength(20);
    });

    it("says a number of cached tokens that the prompt can have", async () => {
      const { cachedTokens = 0 } = await engine.generate(callOf(promptOf(10), { maxTokens: 2 }));
      expect(cachedTokens).toBeGreaterThanOrEqual(0);
      expect(cachedTokens).toBeLessThanOrEqual(10);
    });

    it("runs many calls at once, each with its own output", async () => {
      const calls = Array.from({ length: 40 }, (_, n) =>
        callOf(promptOf(5 + n, n), { maxTokens: 3 }, { affinityKey: `session-${n}`, currentVersion: () => n }),
      );
      await Promise.all(calls.map((call) => engine.generate(call)));
      expect(calls.map(({ generation }) => Array.from(generation.versions()))).toEqual(calls.map((_, n) => [n, n, n]));
    });

    it("rejects with the signal's reason when the call was aborted before", async () => {
      const reason = new Error("the agent left");
      const call = callOf(promptOf(10), {}, { signal: AbortSignal.abort(reason) });
      await expect(engine.generate(call)).rejects.toBe(reason);
      expect(call.generation.length).toBe(0);
    });

    it("rejects with the signal's reason when the call is aborted on the way, and goes on with others", async () => {
      const controller = new AbortController();
      const reason = new Error("the agent left");
      const running = subject.slow.generate(callOf(promptOf(10), { maxTokens: 400 }, { signal: controller.signal }));
      setTimeout(() => controller.abort(reason), 2);
      await expect(running).rejects.toBe(reason);
      const next = callOf(promptOf(10), { maxTokens: 2 });
      await subject.slow.generate(next);
      expect(next.generation.length).toBe(2);
    });

    it("refuses what does not fit its context, with a message that gives the sizes", async () => {
      const call = callOf(promptOf(subject.contextLength), { maxTokens: 8 });
      const failure = engine.generate(call);
      await expect(failure).rejects.toMatchObject({ name: "EngineError", code: "engine_error" });
      await expect(failure).rejects.toThrow(String(subject.contextLength).slice(0, 2));
    });

    it("uses the last place of its context", async () => {
      const call = callOf(promptOf(subject.contextLength - 3), { maxTokens: 3 });
      expect((await engine.generate(call)).finish).toEqual({ reason: "length" });
      expect(call.generation.length).toBe(3);
    });
  });
}
