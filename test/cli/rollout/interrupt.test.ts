import { describe, expect, it, onTestFinished } from "vitest";
import { onInterrupt } from "../../../src/cli/rollout/interrupt.js";
import { ProcessWatch } from "../../../src/cli/rollout/process-watch.js";

/** Listeners of the signals that a job handles. */
const counts = () => [process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
const sendSignal = (signal: "SIGINT" | "SIGTERM") => process.emit(signal, signal);

describe("a signal", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("stops a job once: %s", (signal) => {
    const before = counts();
    let stops = 0;
    const remove = onInterrupt(() => stops++);
    onTestFinished(remove);
    expect(counts()).toEqual(before.map((count) => count + 1));
    sendSignal(signal);
    expect(stops).toBe(1);
    remove();
    expect(counts()).toEqual(before);
  });
});

describe("the watch of a job's process", () => {
  it("passes signals and errors on to the job, until it ends", () => {
    const [before, told] = [counts(), [] as unknown[]];
    const error = new Error("no");
    {
      using watch = new ProcessWatch();
      watch.fail(error);
      expect([told, watch.interrupted]).toEqual([[], false]);
      watch.begin({ interrupt: () => told.push("interrupted"), fail: (each) => told.push(each) });
      watch.fail(error);
      sendSignal("SIGINT");
      expect([told, watch.interrupted]).toEqual([[error, "interrupted"], true]);
    }
    expect(counts()).toEqual(before);
  });
});
