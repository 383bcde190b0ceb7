import { describe, expect, it, onTestFinished, vi } from "vitest";
import { HUGE_TEXT, runBySize, runInIterations, runInSlices } from "../../../src/support/async/run-steps.js";
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

  it("run in slices for a short text, and in turns for a huge one", async () => {
    const short = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT - 1));
    const huge = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT));
    expect([short.result, short.iterations, huge.result]).toEqual(["done", 0, "done"]);
    expect(huge.iterations).toBeGreaterThanOrEqual(2);
  });
});
