import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { until } from "../helpers/until.js";
import { makeCall as makePlainCall, makePrompt } from "./generate-call.js";

/** An engine under test, and the facts that the suite needs. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** Slow enough that a call of 400 tokens can be aborted while it runs. */
  readonly slow: Engine;
  /** Returns how many tokens the calls of `slow` have so far. By default, the suite counts them with `onTokens`. */
  readonly slowTokens?: () => number;
  readonly contextLength: number;
  stop(): Promise<void>;
}

export interface ConformanceOptions {
  /** Default: the type. */
  readonly name?: string;
  /** Every call is streamed. */
  readonly streams?: boolean;
  /** Allowed difference between the log probabilities of the same tokens in two calls. Default 0. */
  readonly tolerance?: number;
}

function largestDifference(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || a.length !== b?.length) return Number.POSITIVE_INFINITY;
  return a.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (b[index] ?? Number.NaN))), 0);
}

/** Describes the behaviour that the rest of the proxy relies on with every engine. */
export function describeEngine(
  type: string,
  start: () => Promise<EngineUnderTest>,
  { name = type, streams = false, tolerance = 0 }: ConformanceOptions = {},
): void {
  const makeCall: typeof makePlainCall = (prompt, sampling, rest) =>
    makePlainCall(prompt, sampling, { ...(streams ? { onTokens: () => undefined } : {}), ...rest });

  describe(`the ${name} engine as an Engine`, () => {
    let subject: EngineUnderTest;
    let engine: Engine;
    beforeAll(async () => {
      subject = await start();
      engine = subject.engine;
    });
    afterAll(() => subject.stop());

    it("reports its type and context length, and is healthy", async () => {
      expect(engine.type).toBe(type);
      expect(await engine.contextLength()).toBe(subject.contextLength);
      await expect(engine.health()).resolves.toBeUndefined();
    });

    it("records one log probability and one version per id", async () => {
      const call = makeCall(makePrompt(10), { maxTokens: 6 }, { currentVersion: () => 41 });
      const { finish, resumes } = await engine.generate(call);
      expect(finish).toEqual({ reason: "length" });
      expect(resumes).toBe(0);
      expect(call.generation.length).toBe(6);
      expect(call.generation.ids().every((id) => id >= 0)).toBe(true);
      expect(call.generation.logprobs().every((logprob) => Number.isFinite(logprob) && logprob <= 0)).toBe(true);
      expect(Array.from(call.generation.versions())).toEqual([41, 41, 41, 41, 41, 41]);
      expect(call.generation.top()).toBeUndefined();
    });

    it("ends at a stop token and keeps it in the output", async () => {
      const anything = Array.from({ length: 512 }, (_, id) => id);
      const call = makeCall(makePrompt(10), { maxTokens: 30, stopTokenIds: anything });
      const { finish } = await engine.generate(call);
      const last = call.generation.ids().at(-1);
      expect(finish).toEqual({ reason: "stop", matched: last });
      expect(call.generation.length).toBeLessThan(30);
    });

    it("samples a single token if maxTokens is 1", async () => {
      const call = makeCall(makePrompt(3), { maxTokens: 1 });
      expect((await engine.generate(call)).finish).toEqual({ reason: "length" });
      expect(call.generation.length).toBe(1);
    });

    it("records the requested number of alternatives per token", async () => {
      const call = makeCall(makePrompt(10), { maxTokens: 5, topLogprobs: 4 });
      await engine.generate(call);
      const top = call.generation.top();
      expect(top?.width).toBe(4);
      expect(top?.ids).toHaveLength(20);
      expect(top?.logprobs).toHaveLength(20);
    });

    it("reports at most as many cached tokens as the prompt has", async () => {
      const { cachedTokens = 0 } = await engine.generate(makeCall(makePrompt(10), { maxTokens: 2 }));
      expect(cachedTokens).toBeGreaterThanOrEqual(0);
      expect(cachedTokens).toBeLessThanOrEqual(10);
    });

    it("runs many calls at once without mixing their outputs", async () => {
      const calls = Array.from({ length: 40 }, (_, n) =>
        makeCall(makePrompt(5 + n, n), { maxTokens: 3 }, { affinityKey: `session-${n}`, currentVersion: () => n }),
      );
      await Promise.all(calls.map((call) => engine.generate(call)));
      expect(calls.map(({ generation }) => Array.from(generation.versions()))).toEqual(calls.map((_, n) => [n, n, n]));
    });

    it("calls onTokens for every token in order, and samples the same tokens as without it", async () => {
      const sampling = { maxTokens: 20, seed: 5, topLogprobs: 2 };
      const plain = makePlainCall(makePrompt(10), sampling);
      await engine.generate(plain);
      const lengths: number[] = [];
      const read: number[] = [];
      const call = makePlainCall(makePrompt(10), sampling, {
        onTokens: () => {
          const from = lengths.at(-1) ?? 0;
          read.push(...call.generation.ids(from));
          lengths.push(call.generation.length);
        },
      });
      const { finish } = await engine.generate(call);
      expect(finish).toEqual({ reason: "length" });
      expect(lengths.every((length, index) => length > (lengths[index - 1] ?? 0))).toBe(true);
      expect(lengths.at(-1)).toBe(20);
      expect(lengths.length).toBeGreaterThan(2);
      expect(read).toEqual(Array.from(call.generation.ids()));
      expect(call.generation.ids()).toEqual(plain.generation.ids());
      expect(largestDifference(call.generation.logprobs(), plain.generation.logprobs())).toBeLessThanOrEqual(tolerance);
      expect(call.generation.versions()).toEqual(plain.generation.versions());
      const [top, plainTop] = [call.generation.top(), plain.generation.top()];
      expect(top?.ids).toEqual(plainTop?.ids);
      expect(largestDifference(top?.logprobs, plainTop?.logprobs)).toBeLessThanOrEqual(tolerance);
    });

    it("rejects with the signal's reason if the call was aborted before it started", async () => {
      const reason = new Error("the agent left");
      const call = makeCall(makePrompt(10));
      await expect(engine.generate(call, AbortSignal.abort(reason))).rejects.toBe(reason);
      expect(call.generation.length).toBe(0);
    });

    it("rejects with the signal's reason if the call is aborted while it runs, and serves the next call", async () => {
      const controller = new AbortController();
      const reason = new Error("the agent left");
      const { slow, slowTokens } = subject;
      const onTokens = slowTokens ? {} : { onTokens: () => controller.abort(reason) };
      const running = slow.generate(makeCall(makePrompt(10), { maxTokens: 400 }, onTokens), controller.signal);
      if (slowTokens) void until(() => slowTokens() > 0).then(() => controller.abort(reason));
      await expect(running).rejects.toBe(reason);
      const next = makeCall(makePrompt(10), { maxTokens: 2 });
      await subject.slow.generate(next);
      expect(next.generation.length).toBe(2);
    });

    it("rejects a call that exceeds the context, with the context length in the message", async () => {
      const call = makeCall(makePrompt(subject.contextLength + 1), { maxTokens: 8 });
      const failure = engine.generate(call);
      await expect(failure).rejects.toMatchObject({ name: "EngineError", code: "engine_rejected_request" });
      await expect(failure).rejects.toThrow(String(subject.contextLength).slice(0, 2));
    });

    it("fills its context to the last token", async () => {
      const call = makeCall(makePrompt(subject.contextLength - 3), { maxTokens: 3 });
      expect((await engine.generate(call)).finish).toEqual({ reason: "length" });
      expect(call.generation.length).toBe(3);
    });
  });
}
