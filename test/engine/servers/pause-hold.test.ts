import { describe, expect, it, vi } from "vitest";
import { PauseHold } from "../../../src/engine/servers/pause/pause-hold.js";

const never = new AbortController().signal;

describe("a hold", () => {
  it("keeps generations if one of the pauses since it began does", () => {
    const hold = new PauseHold();
    const close = (mode: "abort" | "keep", mayKeep?: boolean) => {
      hold.close(mode, mayKeep);
      return hold.mayKeep;
    };
    expect([hold.mayKeep, close("keep"), close("abort")]).toEqual([false, true, true]);
    hold.open();
    expect([close("abort"), close("abort", true), close("keep", false)]).toEqual([false, true, true]);
    hold.resume();
    expect(close("abort")).toBe(false);
  });

  it("has a mode and counts its pauses, until it is opened", () => {
    const hold = new PauseHold();
    expect([hold.mode, hold.mayRun, hold.pauses]).toEqual([undefined, true, 0]);
    hold.close("abort");
    hold.close("keep");
    expect([hold.mode, hold.mayRun, hold.pauses]).toEqual(["keep", false, 2]);
    hold.resume();
    expect([hold.mode, hold.mayRun]).toEqual(["keep", true]);
    hold.open();
    expect([hold.mode, hold.mayRun, hold.pauses]).toEqual([undefined, true, 2]);
  });

  it("tells its listeners when it begins and ends, once each", () => {
    const hold = new PauseHold();
    const listener = { pauseBegins: vi.fn<() => void>(), pauseEnds: vi.fn<() => void>() };
    const listening = hold.listen(listener);
    const counts = () => [listener.pauseBegins.mock.calls.length, listener.pauseEnds.mock.calls.length];
    hold.open();
    expect(counts()).toEqual([0, 0]);
    hold.close("abort");
    hold.close("keep");
    expect(counts()).toEqual([1, 0]);
    hold.resume();
    hold.open();
    expect(counts()).toEqual([1, 1]);
    listening[Symbol.dispose]();
    hold.close("abort");
    hold.open();
    expect(counts()).toEqual([1, 1]);
  });

  it("lets calls pass when it is opened, also those that came in an earlier pause", async () => {
    const hold = new PauseHold();
    await hold.pass(never);
    hold.close("abort");
    const passed: string[] = [];
    const waiting = [hold.pass(never).then(() => passed.push("first"))];
    hold.close("keep");
    waiting.push(hold.pass(never).then(() => passed.push("second")));
    const left = hold.pass(AbortSignal.abort(new Error("left")));
    await expect(left).rejects.toThrow("left");
    hold.resume();
    await Promise.resolve();
    expect(passed).toEqual([]);
    hold.open();
    await Promise.all(waiting);
    expect(passed).toEqual(["first", "second"]);
  });
});
