import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "../../../src/support/async/on-abort.js";

describe("onAbort", () => {
  it("calls the listener once, when the signal aborts", () => {
    const controller = new AbortController();
    let calls = 0;
    onAbort(controller.signal, () => calls++);
    expect(calls).toBe(0);
    controller.abort();
    controller.abort();
    expect(calls).toBe(1);
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
  });

  it("calls the listener immediately if the signal is already aborted", () => {
    let calls = 0;
    onAbort(AbortSignal.abort(), () => calls++);
    expect(calls).toBe(1);
  });

  it("removes the listener when it is disposed", () => {
    const controller = new AbortController();
    let calls = 0;
    {
      using _listening = onAbort(controller.signal, () => calls++);
      expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    }
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0);
    controller.abort();
    expect(calls).toBe(0);
  });

  it("accepts an absent signal", () => {
    let calls = 0;
    onAbort(undefined, () => calls++)[Symbol.dispose]();
    expect(calls).toBe(0);
  });
});
