import { describe, expect, it, onTestFinished, vi } from "vitest";
import { makeEnd } from "../../../src/support/processes/escalation.js";

const HOUR_SECONDS = 3600;

describe("makeEnd", () => {
  it("makes no further attempt after the end", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const acts: string[] = [];
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const making = makeEnd(ended, [
      { act: () => acts.push("ask"), seconds: 30 },
      { act: () => (acts.push("kill"), end()), seconds: HOUR_SECONDS },
      { act: () => acts.push("never"), seconds: 0 },
    ]);
    await vi.advanceTimersByTimeAsync(29_999);
    expect(acts).toEqual(["ask"]);
    await vi.advanceTimersByTimeAsync(1);
    await making;
    expect(acts).toEqual(["ask", "kill"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("rejects if an attempt fails", async () => {
    const never = new Promise(() => undefined);
    const act = () => Promise.reject(new Error("no such process"));
    await expect(makeEnd(never, [{ act, seconds: 0 }])).rejects.toThrow("no such process");
  });

  it("waits for the end after the last attempt", async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let done = false;
    const making = makeEnd(ended, [{ act: () => undefined, seconds: 0 }]).then(() => (done = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toBe(false);
    end();
    await making;
  });
});
