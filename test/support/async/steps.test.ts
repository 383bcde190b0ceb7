import { describe, expect, it } from "vitest";
import { HUGE_TEXT, runAtOnce, runBySize, runInTurns, type Steps } from "../../../src/support/async/steps.js";
import { countIterations } from "../../helpers/iterations.js";

function* threeSteps(): Steps<string> {
  yield;
  yield;
  return "done";
}

describe("the steps of long work", () => {
  it("run in separate iterations of the event loop", async () => {
    const { result, iterations } = await countIterations(() => runInTurns(threeSteps()));
    expect(result).toBe("done");
    expect(iterations).toBeGreaterThanOrEqual(2);
  });

  it("can run all at once", () => {
    expect(runAtOnce(threeSteps())).toBe("done");
  });

  it("run at once for a short text, and in turns for a huge one", async () => {
    const short = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT - 1));
    const huge = await countIterations(() => runBySize(threeSteps(), HUGE_TEXT));
    expect([short.result, short.iterations, huge.result]).toEqual(["done", 0, "done"]);
    expect(huge.iterations).toBeGreaterThanOrEqual(2);
  });
});
