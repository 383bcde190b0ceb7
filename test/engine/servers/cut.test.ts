import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CutCause, CutWatch, MAX_RESTARTS, Restarts } from "../../../src/engine/servers/call/cut.js";
import { PauseHold } from "../../../src/engine/servers/pause/pause-hold.js";
import type { EngineFinish } from "../../../src/native/contract.js";
import { makeCall } from "../generate-call.js";
import { FakeServer } from "./fake-server.js";

const never = new AbortController().signal;

describe("the restarts of a call", () => {
  let began = 0;
  beforeEach(() => {
    vi.useFakeTimers();
    began = Date.now();
  });
  afterEach(() => void vi.useRealTimers());

  /** Returns how long each restart was delayed. */
  async function restart(restarts: Restarts, causes: readonly CutCause[], ran = 0): Promise<number[]> {
    const delays: number[] = [];
    for (const cause of causes) {
      began = Date.now();
      const waiting = restarts.wait(cause, ran, never).then(() => void delays.push(Date.now() - began));
      await Promise.all([waiting, vi.runAllTimersAsync()]);
    }
    return delays;
  }

  const repeat = (cause: CutCause, times: number) => Array.from({ length: times }, () => cause);

  it("are delayed longer each time, up to 5 seconds", async () => {
    const expected = [25, 50, 100, 200, 400, 800, 1600, 3200, 5000, 5000];
    expect(await restart(new Restarts(), repeat("pause", 10))).toEqual(expected);
  });

  it("are delayed briefly again after a request that ran for 10 seconds", async () => {
    const restarts = new Restarts();
    await restart(restarts, repeat("pause", 4));
    expect(await restart(restarts, ["pause"], 9_999)).toEqual([400]);
    expect(await restart(restarts, ["pause"], 10_000)).toEqual([25]);
  });

  it("end after 30 for which only the server's message speaks", async () => {
    const restarts = new Restarts();
    await restart(restarts, repeat("message", MAX_RESTARTS));
    await expect(restarts.wait("message", 0, never)).rejects.toThrow("it was restarted 30 times in a row");
  });

  it.each(["version", "pause"] as const)("are counted from the start again after a cut by a %s", async (cause) => {
    const restarts = new Restarts();
    await restart(restarts, repeat("message", MAX_RESTARTS));
    await restart(restarts, [cause]);
    await restart(restarts, repeat("message", MAX_RESTARTS));
    await expect(restarts.wait("message", 0, never)).rejects.toThrow("30 times");
  });

  it("are counted from the start again after a request that ran for 10 seconds, with its own cut", async () => {
    const restarts = new Restarts();
    await restart(restarts, repeat("message", MAX_RESTARTS));
    await restart(restarts, ["message"], 10_000);
    await restart(restarts, repeat("message", MAX_RESTARTS - 1));
    await expect(restarts.wait("message", 0, never)).rejects.toThrow("30 times");
  });
});

describe("the cause of a cut", () => {
  function start(grammar = false) {
    const state = { version: 1 };
    const hold = new PauseHold();
    const sampling = grammar ? { grammar: { kind: "regex", pattern: "a" } as const } : {};
    const call = makeCall([1], sampling, { currentVersion: () => state.version });
    call.generation.append(Int32Array.of(3), Float32Array.of(-1), 9);
    const watch = new CutWatch(hold, call);
    const server = new FakeServer("http://a");
    const find = (message?: string, reported?: number) => {
      server.weightUpdate = async () => ({ version: reported });
      const finish: EngineFinish = { type: "abort", ...(message !== undefined && { message }) };
      return watch.findCause(finish, server);
    };
    const append = (...versions: number[]) =>
      call.generation.append(
        Int32Array.from(versions),
        Float32Array.from(versions, () => -1),
        Int32Array.from(versions),
      );
    return { state, hold, find, append };
  }

  it("is a pause that began meanwhile", async () => {
    const { hold, find } = start();
    hold.close("abort");
    hold.open();
    expect(await find("Input is too odd")).toBe("pause");
  });

  it("is a new version: of the trainer, among the tokens, or of the server", async () => {
    const trained = start();
    trained.state.version = 2;
    expect(await trained.find("odd")).toBe("version");
    const among = start();
    among.append(1, 1, 2);
    expect(await among.find("odd")).toBe("version");
    const reported = start();
    reported.append(1, 1);
    expect(await reported.find("odd", 2)).toBe("version");
    // The token with the version 9 came before this request.
    await expect(reported.find("odd", 1)).rejects.toThrow("The engine aborted the generation (odd).");
    await expect(start().find("odd", 2)).rejects.toThrow("Neither a pause nor a new weight version explains this.");
  });

  it.each([
    [undefined, false],
    [undefined, true],
    ["Abort in waiting queue", true],
    ["the weights are updated", true],
    ["engine PAUSED", true],
    ["an update", true],
    ["Aborted", false],
  ])("is the message %j, with a grammar: %s", async (message, grammar) => {
    expect(await start(grammar).find(message)).toBe("message");
  });

  it.each([
    ["Aborted", true, " A step of the call's grammar may have failed."],
    ["Aborted by mistake", false, ""],
    ["counterweight", false, ""],
  ])("is not the message %j, with a grammar: %s", async (message, grammar, step) => {
    await expect(start(grammar).find(message)).rejects.toMatchObject({
      code: "engine_error",
      message: `The engine aborted the generation (${message}). Neither a pause nor a new weight version explains this.${step}`,
    });
  });
});
