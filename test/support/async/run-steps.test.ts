import { describe, expect, it, onTestFinished, vi } from "vitest";
import { eventLoop } from "../../../src/support/async/event-loop.js";
import { HUGE_TEXT, runBySize, runInIterations, runInSlices, Slices } from "../../../src/support/async/run-steps.js";
import { runAtOnce, type Steps } from "../../../src/support/async/steps.js";
import { countIterations } from "../../helpers/iterations.js";

function* threeSteps(): Steps<string> {
  yield;
  yield;
  return "done";
}

describe("the steps of long work", () => {
  it("run in separate iterations of the event loop", async () => {
    const { result, iterations } = await countIterations(() => runInIterations(threeSteps()));
    expect(result).toBe("done");
    expect(iterations).toBeGreaterThanOrEqual(2);
  });

  it("can run all at once", () => {
    expect(runAtOnce(threeSteps())).toBe("done");
  });

  it("run in one iteration as long as a slice lasts, and then in the next ones", async () => {
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
    onTestFinished(() => clock.mockRestore());
    const short = await countIterations(() => runInSlices(threeSteps()));
    let now = 1000;
    clock.mockImplementation(() => (now += 100));
    const long = await countIterations(() => runInSlices(threeSteps()));
    expect([short.result, short.iterations, long.result]).toEqual(["done", 0, "done"]);
    expect(long.iterations).toBeGreaterThanOrEqual(2);
  });

  it("run on in a slice of the same length after a pause", async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    function* steps(): Steps<string> {
      now += 4;
      yield;
      yield;
      yield;
      now += 3;
      yield;
      return "done";
    }
    const slices = new Slices();
    const yields = vi.spyOn(eventLoop, "yield");
    onTestFinished(() => yields.mockRestore());
    expect(await slices.run(steps())).toBe("done");
    expect(yields).toHaveBeenCalledTimes(1);
    await slices.pause();
    expect(yields).toHaveBeenCalledTimes(1);
    now += 1;
    await slices.pause();
    expect(yields).toHaveBeenCalledTimes(2);
  });

  it("run in slices for a short text, and in turns for a huge one", async () => {
    const short = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT - 1));
    const huge = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT));
    expect([short.result, short.iterations, huge.result]).toEqual(["done", 0, "done"]);
    expect(huge.iterations).toBeGreaterThanOrEqual(2);
  });
});
