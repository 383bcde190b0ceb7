import { afterEach, describe, expect, it, vi } from "vitest";
import { UnrecordableError } from "../../../src/engine/servers/wire/errors.js";
import { classifyLogprobs, LogprobsProbe } from "../../../src/engine/vllm/logprobs-probe.js";

afterEach(() => void vi.restoreAllMocks());

describe("what log probabilities of a generation with top-k 1 include", () => {
  it.each([
    [[0, 0, 0, 0], "truncated"],
    [[0, -Math.LN2, 0], "truncated"],
    [[0, -Math.log(8)], "truncated"],
    [[0, -Math.log(9)], "raw"],
    [[-Math.LN2, -Math.LN2], "raw"],
    [[0, -0.5], "raw"],
    [[1e-6, -1e-6], "truncated"],
    [[-0.5, -13.8], "raw"],
  ])("%j are %s", (logprobs, content) => {
    expect(classifyLogprobs(logprobs)).toBe(content);
  });

  it.each([[[0, 1e-4]], [[-0.5, -13.9]]])("%j are logits", (logprobs) => {
    expect(() => classifyLogprobs(logprobs)).toThrow("The engine server reports logits instead of log probabilities");
  });

  it("are not known without tokens", () => {
    expect(() => classifyLogprobs([])).toThrow("contains no tokens");
  });
});

describe("the probe of a server", () => {
  const fail = (error: unknown) => () => Promise.reject(error);

  it("runs once for calls at the same time and later ones", async () => {
    const probe = new LogprobsProbe();
    const run = vi.fn<() => Promise<"raw">>(async () => "raw");
    expect(probe.content).toBeUndefined();
    expect(await Promise.all([probe.find(run), probe.find(run)])).toEqual(["raw", "raw"]);
    expect([await probe.find(run), probe.content, run.mock.calls.length]).toEqual(["raw", "raw", 1]);
  });

  it("runs again half a minute after it failed", async () => {
    const probe = new LogprobsProbe();
    const run = vi.fn<() => Promise<"raw">>(async () => "raw");
    expect(await probe.find(fail(new Error("no")))).toBe("unknown");
    expect([await probe.find(run), run.mock.calls.length]).toEqual(["unknown", 0]);
    const began = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(began + 30_001);
    expect([await probe.find(run), run.mock.calls.length]).toEqual(["raw", 1]);
  });

  it("refuses calls for half a minute after it found logits", async () => {
    const probe = new LogprobsProbe();
    const error = new UnrecordableError("engine_error", "logits");
    await expect(probe.find(fail(error))).rejects.toBe(error);
    expect(() => probe.refuseLogits()).toThrow("logits");
    await expect(probe.find(fail(new Error("not asked")))).rejects.toBe(error);
    const began = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(began + 30_001);
    expect(() => probe.refuseLogits()).not.toThrow();
  });

  it.each([
    ["its content", async () => "raw" as const],
    ["its failure", fail(new Error("no"))],
    ["logits", fail(new UnrecordableError("engine_error", "logits"))],
  ])("is forgotten with %s", async (_, run) => {
    const probe = new LogprobsProbe();
    await probe.find(run).catch(() => undefined);
    probe.forget();
    expect(probe.content).toBeUndefined();
    expect(() => probe.refuseLogits()).not.toThrow();
    expect(await probe.find(async () => "truncated")).toBe("truncated");
  });

  it.each([
    ["succeeds", false],
    ["fails", true],
  ])("that runs when it is forgotten, and %s later, changes nothing", async (_, fails) => {
    const probe = new LogprobsProbe();
    let end = (_failed: boolean) => undefined as void;
    const running = probe.find(
      () => new Promise((resolve, reject) => (end = (failed) => (failed ? reject(new Error("no")) : resolve("raw")))),
    );
    probe.forget();
    const next = probe.find(async () => "truncated");
    end(fails);
    expect([await running, await next, probe.content]).toEqual([fails ? "unknown" : "raw", "truncated", "truncated"]);
  });
});
