import { afterEach, describe, expect, it, vi } from "vitest";
import { StepGate } from "../../../src/engine/embedded/step-gate.js";
import { Deadline } from "../../../src/support/async/deadline.js";

const unlimited = new Deadline(undefined, undefined, () => new Error("expired"));

/** A step that ends when it is told to. */
function heldStep() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const step = vi.fn<() => Promise<void>>(() => ended);
  return { step, end };
}

afterEach(() => void vi.useRealTimers());

describe("StepGate", () => {
  it("pauses when the running steps have ended, and holds further steps until it is resumed", async () => {
    const gate = new StepGate();
    const [first, second, third] = [heldStep(), heldStep(), heldStep()];
    const running = [first, second].map(({ step }) => gate.run(unlimited, step));
    let paused = false;
    const pausing = gate.pause().then(() => (paused = true));
    const held = gate.run(unlimited, third.step);
    first.end();
    await running[0];
    expect(paused).toBe(false);
    second.end();
    await pausing;
    expect(third.step).not.toHaveBeenCalled();
    gate.resume();
    third.end();
    await Promise.all([held, ...running]);
    expect(third.step).toHaveBeenCalledOnce();
  });

  it("pauses immediately if no step runs", async () => {
    const gate = new StepGate();
    await gate.pause();
    expect(gate.paused).toBe(true);
  });

  it("ends a pause that has not begun when it is resumed", async () => {
    const gate = new StepGate();
    const { step, end } = heldStep();
    const running = gate.run(unlimited, step);
    const pausing = gate.pause();
    gate.resume();
    await pausing;
    expect(gate.paused).toBe(false);
    end();
    await running;
  });

  it("holds a step if the next pause begins before it was admitted", async () => {
    const gate = new StepGate();
    await gate.pause();
    const { step, end } = heldStep();
    const held = gate.run(unlimited, step);
    gate.resume();
    await gate.pause();
    await Promise.resolve();
    expect(step).not.toHaveBeenCalled();
    gate.resume();
    end();
    await held;
  });

  it("rejects a held step when its call is aborted, and the others stay held", async () => {
    const gate = new StepGate();
    await gate.pause();
    const controller = new AbortController();
    using deadline = new Deadline(controller.signal, undefined, () => new Error("expired"));
    const { step, end } = heldStep();
    const aborted = gate.run(deadline, step);
    const held = gate.run(unlimited, step);
    controller.abort(new Error("the agent left"));
    await expect(aborted).rejects.toThrow("the agent left");
    expect(step).not.toHaveBeenCalled();
    gate.resume();
    end();
    await held;
  });

  it("does not count a pause for the deadline of a call", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const gate = new StepGate();
    await gate.pause();
    using deadline = new Deadline(undefined, 5, () => new Error("expired"));
    const { step, end } = heldStep();
    const held = gate.run(deadline, step);
    await vi.advanceTimersByTimeAsync(60_000);
    gate.resume();
    end();
    await held;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(deadline.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(deadline.signal.aborted).toBe(true);
  });

  it("rejects held and later steps once it is closed", async () => {
    const gate = new StepGate();
    await gate.pause();
    const { step } = heldStep();
    const held = gate.run(unlimited, step);
    gate.close(new Error("closed"));
    await expect(held).rejects.toThrow("closed");
    await expect(gate.run(unlimited, step)).rejects.toThrow("closed");
    gate.resume();
    await expect(gate.run(unlimited, step)).rejects.toThrow("closed");
  });

  it("pauses after a step that fails", async () => {
    const gate = new StepGate();
    await expect(gate.run(unlimited, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await gate.pause();
  });
});
