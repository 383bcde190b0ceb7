import { getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Deadline } from "../../../src/support/async/deadline.js";

const expired = () => new Error("too late");

function useFakeTimers() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

describe("a deadline", () => {
  it("aborts with the given error when its time is over", () => {
    useFakeTimers();
    using deadline = new Deadline(undefined, 5, expired);
    vi.advanceTimersByTime(4999);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toEqual(expired());
  });

  it("aborts with the caller's reason, even if the caller's signal is already aborted", () => {
    const caller = new AbortController();
    using before = new Deadline(caller.signal, undefined, expired);
    const reason = new Error("gone");
    caller.abort(reason);
    using after = new Deadline(caller.signal, undefined, expired);
    expect(before.signal.reason).toBe(reason);
    expect(after.signal.reason).toBe(reason);
  });

  it("does not count the time while its clock is stopped", () => {
    useFakeTimers();
    vi.advanceTimersByTime(1000);
    using deadline = new Deadline(undefined, 5, expired);
    vi.advanceTimersByTime(3000);
    const stopped = deadline.stopClock();
    vi.advanceTimersByTime(60_000);
    stopped[Symbol.dispose]();
    vi.advanceTimersByTime(1999);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toEqual(expired());
  });

  it("aborts with the caller's reason while its clock is stopped, and has no timer without a limit", () => {
    useFakeTimers();
    const caller = new AbortController();
    using deadline = new Deadline(caller.signal, undefined, expired);
    const stopped = deadline.stopClock();
    caller.abort(new Error("gone"));
    stopped[Symbol.dispose]();
    expect(deadline.signal.reason).toEqual(new Error("gone"));
    expect(vi.getTimerCount()).toBe(0);
  });

  it("aborts early with a reason of its own", () => {
    using deadline = new Deadline(undefined, 5, expired);
    deadline.abort(new Error("over"));
    expect(deadline.signal.reason).toEqual(new Error("over"));
  });

  it("calls its own listeners once, with its reason set and its signal aborted", () => {
    using deadline = new Deadline(undefined, 5, expired);
    const { signal } = deadline;
    const seen: unknown[] = [];
    deadline.addEventListener("abort", () => seen.push(deadline.aborted, deadline.reason, signal.reason));
    deadline.abort(new Error("over"));
    deadline.abort(new Error("again"));
    expect(seen).toEqual([true, new Error("over"), new Error("over")]);
    expect(() => deadline.throwIfAborted()).toThrow("over");
  });

  it("does not call a listener that was removed, not even by another listener", () => {
    using deadline = new Deadline(undefined, 5, expired);
    const seen: string[] = [];
    const second = () => seen.push("second");
    const third = () => seen.push("third");
    deadline.addEventListener("abort", () => deadline.removeEventListener("abort", second));
    deadline.addEventListener("abort", second);
    deadline.addEventListener("abort", third);
    deadline.removeEventListener("abort", third);
    deadline.abort(new Error("over"));
    expect(seen).toEqual([]);
  });

  it("has an aborted signal if the signal is first asked for after the abort", () => {
    using deadline = new Deadline(AbortSignal.abort("gone"), 5, expired);
    expect(deadline.aborted).toBe(true);
    expect(deadline.signal.reason).toBe("gone");
  });

  it("stops its timer and leaves no listener when it is disposed", () => {
    useFakeTimers();
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, 5, expired);
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(1);
    deadline[Symbol.dispose]();
    expect(getEventListeners(caller.signal, "abort")).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("accepts a limit that is too long for setTimeout", () => {
    useFakeTimers();
    using deadline = new Deadline(undefined, 1e9, expired);
    vi.advanceTimersByTime(1000);
    expect(deadline.signal.aborted).toBe(false);
  });
});
