import { describe, expect, it, vi } from "vitest";
import type { GenerateCall } from "../../../src/engine/engine.js";
import { OutputSoFar } from "../../../src/engine/servers/call/output-so-far.js";
import { PlacedRequest } from "../../../src/engine/servers/call/placed-request.js";
import { StopReached } from "../../../src/engine/servers/call/stop-watch.js";
import { PauseHold } from "../../../src/engine/servers/pause/pause-hold.js";
import type { ServerPlace } from "../../../src/engine/servers/pool/server-place.js";
import { ServerDiedError } from "../../../src/engine/servers/wire/errors.js";
import { VersionLabels } from "../../../src/engine/version-labels.js";
import { makeCall } from "../generate-call.js";
import { FakeServer } from "./fake-server.js";

const reasoning = { begin: Int32Array.of(20), end: Int32Array.of(21) };

function place(sampling: object = {}, rest: Partial<GenerateCall> = {}) {
  const call = { ...makeCall([1, 2], { maxTokens: 9, ...sampling }), ...rest };
  const server = new FakeServer("http://a");
  const output = new OutputSoFar(call);
  const noteProgress = vi.fn<() => void>();
  const { signal } = new AbortController();
  const open = () => {
    const at = { server, signal, noteProgress } as unknown as ServerPlace;
    return new PlacedRequest(output, at, { hold: new PauseHold(), labels: new VersionLabels() });
  };
  const append = (...ids: number[]) =>
    call.generation.append(
      Int32Array.from(ids),
      Float32Array.from(ids, () => -1),
      3,
    );
  return { call, server, output, noteProgress, open, append };
}

describe("tokens that arrive", () => {
  it("show that the server works, and are told to the call", () => {
    const onTokens = vi.fn<() => void>();
    const { open, append, noteProgress } = place({}, { onTokens });
    const request = open();
    append(5);
    request.received();
    expect([noteProgress.mock.calls.length, onTokens.mock.calls.length]).toEqual([1, 1]);
    expect(request.inputTokens).toBe(2);
  });

  it("end the request after a stop string, whose later tokens are removed", () => {
    const tokenBytes = (id: number) => Buffer.from(String.fromCharCode(96 + id));
    const { call, open, append } = place({ stop: ["cd"] }, { tokenBytes });
    const request = open();
    append(1, 2);
    expect(() => request.received()).not.toThrow();
    append(3, 4, 5);
    expect(() => request.received()).toThrow(StopReached);
    expect(Array.from(call.generation.ids())).toEqual([1, 2, 3, 4]);
    expect(request.applyStop({ tokens: 4, finish: { type: "length" } }).finish).toEqual({
      type: "stop",
      matched: "cd",
    });
    const own = { tokens: 4, finish: { type: "stop", matched: "x" } } as const;
    expect(request.applyStop(own)).toBe(own);
  });

  it("are those of the request, not of the call, when it is cut", () => {
    const { open, append } = place();
    append(5, 6);
    const request = open();
    append(7);
    expect(request.cutReply()).toEqual({ tokens: 1, finish: { type: "abort" } });
    expect([request.begun, request.inputTokens]).toEqual([2, 4]);
  });
});

describe("a request that ends after a stop string", () => {
  const tokenBytes = (id: number) => Buffer.from(String.fromCharCode(96 + id));

  it("has the tokens that are left", async () => {
    const { server, open, append } = place({ stop: ["b"] }, { tokenBytes });
    const request = open();
    server.send = async () => {
      append(1, 2);
      throw new StopReached();
    };
    expect(await request.send()).toEqual({ tokens: 2 });
    server.send = () => Promise.reject(new Error("other"));
    await expect(request.send()).rejects.toThrow("other");
  });
});

describe("tokens that a thinking budget forced", () => {
  /** Returns how often the tokens of a call are marked. */
  function mark(
    sampling: object,
    ...ignored: readonly ("thinkingBudget" | "seed")[]
  ): [marked: number, told: string[]] {
    const told: string[] = [];
    const { call, open, append } = place(sampling, { reasoning, onIgnored: (param) => void told.push(param) });
    const marked = vi.spyOn(call.generation, "markForced");
    const request = open();
    for (const param of ignored) request.ignored(param);
    append(5, 6, 21, 7);
    request.markForced();
    return [marked.mock.calls.length, told];
  }

  it("are marked, unless there is no budget or the server ignores it", () => {
    const budget = { thinkingBudget: 2 };
    expect(mark(budget)).toEqual([1, []]);
    expect(mark({})).toEqual([0, []]);
    expect(mark(budget, "thinkingBudget")).toEqual([0, ["thinkingBudget"]]);
    expect(mark(budget, "seed")).toEqual([1, ["seed"]]);
  });
});

describe("the output so far", () => {
  it("is discarded from where a server that died had begun, unless the agent has it", () => {
    const died = new ServerDiedError("engine_unavailable", "died");
    const { call, output, append } = place();
    append(5, 6);
    append(7);
    output.discardLost(new Error("other"), 2);
    expect(call.generation.length).toBe(3);
    output.discardLost(died, 3);
    expect(call.generation.length).toBe(3);
    output.discardLost(died, 2);
    expect(call.generation.length).toBe(2);
    const streamed = place({}, { onTokens: () => undefined });
    streamed.append(5);
    expect(() => streamed.output.discardLost(died, 0)).toThrow("died");
  });

  it("has the cached tokens of the first reply that says them, and at most those of the prompt", () => {
    const { output, open } = place();
    const request = open();
    output.add(request, { tokens: 0 });
    expect(output.result({ reason: "length" }, 0).cachedTokens).toBeUndefined();
    output.add(request, { tokens: 0, cachedTokens: 9 });
    output.add(request, { tokens: 0, cachedTokens: 1 });
    expect(output.result({ reason: "length" }, 3)).toMatchObject({ cachedTokens: 2, resumes: 3, logprobs: "unknown" });
  });

  it("has the content of the log probabilities of all servers that generated tokens", () => {
    const { output, open, server } = place();
    const request = open();
    const other = {
      server: Object.assign(new FakeServer("http://b"), { logprobs: "raw" }),
      begun: 0,
      versions: request.versions,
    };
    output.add(other as never, { tokens: 0 });
    output.add(request, { tokens: 1 });
    expect(output.result({ reason: "length" }, 0).logprobs).toBe(server.logprobs);
    output.add(other as never, { tokens: 1 });
    expect(output.result({ reason: "length" }, 0).logprobs).toBe("unknown");
    output.prepareResume();
    expect(output.result({ reason: "length" }, 0)).toMatchObject({ logprobs: "unknown", versionsUncertain: false });
  });
});
