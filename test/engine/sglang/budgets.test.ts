import { describe, expect, it, onTestFinished } from "vitest";
import type { GenerateCall } from "../../../src/engine/engine.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import type { SglangOptions } from "../../../src/engine/sglang/sglang-options.js";
import { type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { makeCall, PLAIN } from "../generate-call.js";

/** Parameters that SGLang follows only if it was started with some flags, and those that it never can. */

const BUDGETS = { serverInfo: { enable_strict_thinking: true, reasoning_parser: "qwen3" } };
const reasoning = { begin: Int32Array.of(20), end: Int32Array.of(21) };
const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 100 }, (_, index) => 100 + inputLength + index);

async function start(options: SglangServerOptions, engineOptions: Partial<SglangOptions> = {}) {
  const server = await startSglangServer({ complete, ...options });
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8, ...engineOptions });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  const ignored: string[] = [];
  const run = (sampling: object, rest: Partial<GenerateCall> = {}) =>
    engine.generate({ ...makeCall([1, 2], sampling, { onIgnored: (param) => void ignored.push(param) }), ...rest });
  const budgets = () =>
    server
      .to("/generate")
      .map(({ json }) => Object(Object(json["sampling_params"]).custom_params).thinking_budget as unknown);
  return { server, engine, run, ignored, budgets };
}

describe("a thinking budget", () => {
  const sampling = { thinkingBudget: 8, maxTokens: 6 };

  it("is sent to a server that enforces it", async () => {
    const { run, ignored, budgets } = await start(BUDGETS);
    await run(sampling, { reasoning });
    await run(sampling);
    await run({ maxTokens: 2 });
    expect([budgets(), ignored]).toEqual([[8, 8, undefined], []]);
  });

  it("is ignored by other servers, and beside a grammar", async () => {
    const other = await start({});
    await other.run(sampling, { reasoning });
    expect([other.budgets(), other.ignored]).toEqual([[undefined], ["thinkingBudget"]]);
    const { run, ignored, budgets } = await start(BUDGETS);
    await run({ ...sampling, grammar: { kind: "regex", pattern: "a" } }, { reasoning });
    expect([budgets(), ignored]).toEqual([[undefined], ["thinkingBudget"]]);
  });

  it("is what is left of it after a cut", async () => {
    const { server, run, ignored, budgets } = await start(BUDGETS);
    server.fault({ kind: "abort", after: 3 });
    await run(sampling, { reasoning });
    expect([budgets(), ignored]).toEqual([[8, 5], []]);
  });

  it("is used up, and not below 0, if the output before the cut was longer", async () => {
    const { server, run, budgets } = await start(BUDGETS);
    server.fault({ kind: "abort", after: 3 });
    await run({ ...sampling, thinkingBudget: 2 }, { reasoning });
    expect(budgets()).toEqual([2, 0]);
  });

  it("is not sent again after the reasoning has ended", async () => {
    const ends = ({ inputLength }: { inputLength: number }) =>
      inputLength === 2 ? [100, 21, 101, 102] : [103, 104, 105];
    const { server, run, ignored, budgets } = await start({ ...BUDGETS, complete: ends });
    server.fault({ kind: "abort", after: 3 });
    await run(sampling, { reasoning });
    expect([budgets(), ignored]).toEqual([[8, undefined], []]);
  });

  it("is ignored after a cut if the end of the reasoning is not known", async () => {
    const { server, run, ignored, budgets } = await start(BUDGETS);
    server.fault({ kind: "abort", after: 3 });
    await run(sampling);
    expect([budgets(), ignored]).toEqual([[8, undefined], ["thinkingBudget"]]);
  });
});

describe("a seed", () => {
  it.each([
    [true, []],
    [false, ["seed"]],
  ])("is ignored unless the server repeats samples: %s", async (enable_deterministic_inference, expected) => {
    const { run, ignored, server } = await start({ serverInfo: { enable_deterministic_inference } });
    await run({ maxTokens: 1 });
    await run({ seed: 5, maxTokens: 1 });
    expect(ignored).toEqual(expected);
    const seeds = server.to("/generate").map(({ json }) => Object(json["sampling_params"]).sampling_seed as unknown);
    expect(seeds).toEqual([undefined, 5]);
  });
});

describe("an SGLang engine", () => {
  it("says what it supports", async () => {
    const { engine } = await start({});
    expect([engine.type, engine.supports]).toEqual(["sglang", { grammar: true, stopsWithoutEos: false, images: true }]);
    expect([engine.recordsMasks, engine.recordedExperts, engine.channelMetadata]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    const experts = { layers: 2, topK: 4, experts: 64, moeLayers: [1, 2] };
    const recording = await start({}, { routedExperts: experts, maxKeptTokens: 5 });
    expect([recording.engine.recordsMasks, recording.engine.recordedExperts]).toEqual([true, experts]);
    expect(recording.engine.channelMetadata).toEqual({ moe_layers: [1, 2] });
  });

  it.each([
    [0, 0, 0],
    [1e-7, 0, 0],
    [1e-6, 0, 1e-6],
    [0.7, 0, 0.7],
    [0.7, 1, 0],
    [0.7, 2, 0.7],
  ])("samples temperature %d with top_k %d as temperature %d", async (temperature, topK, effective) => {
    const { engine } = await start({});
    expect(engine.effectiveTemperature?.(temperature, topK)).toBe(effective);
  });

  const masked = "top_k must be between 1 and 20 (engine.max_kept_tokens) in calls with top_k, top_p or min_p";

  it.each([
    [{}, undefined],
    [{ topK: 1 }, undefined],
    [{ topK: 20 }, undefined],
    [{ topK: 20, topP: 0.5 }, undefined],
    [{ topK: 21 }, "21."],
    [{ topP: 0.5 }, "no top_k."],
    [{ minP: 0.5 }, "no top_k."],
    [{ topP: 0.5, temperature: 0 }, undefined],
  ])("that records masks takes calls whose masks SGLang returns: %o", async (sampling, received) => {
    const { engine } = await start({}, { maxKeptTokens: 20 });
    const [before, after] = [masked, `returns no other sampling masks (engine.sampling_masks); received ${received}`];
    const message = `${before}, because SGLang ${after}`;
    expect(engine.refuseSampling?.({ ...PLAIN, ...sampling })).toEqual(
      received === undefined ? undefined : { param: "top_k", message },
    );
    expect(engine.refuseSampling?.({ ...PLAIN, ...sampling }, ["kept_ids"])).toBeUndefined();
    expect((await start({})).engine.refuseSampling?.({ ...PLAIN, ...sampling })).toBeUndefined();
  });
});
