import { describe, expect, it } from "vitest";
import { parseTrainerLine, readTrainerMetrics } from "../../../../src/cli/rollout/metrics/trainer-metrics.js";

describe("readTrainerMetrics", () => {
  it("returns finite numbers by name, of which the last counts", () => {
    const reported = [{ loss: 1, "lr/actor": 1e-6 }, { loss: 0.5 }];
    expect(readTrainerMetrics(reported)).toEqual({ scalars: { loss: 0.5, "lr/actor": 1e-6 }, problems: [] });
  });

  it.each([
    [{ loss: "NaN" }, '`metrics`["loss"] must be a finite number; received "NaN".'],
    [{ loss: null }, '`metrics`["loss"] must be a finite number; received null.'],
    [{ nested: { a: 1 } }, '`metrics`["nested"] must be a finite number; received {"a":1}.'],
    [{ "reward/mean": 1 }, '`metrics`["reward/mean"] is a name of Rolltape\'s own metrics; choose another.'],
    [{ step: 1 }, '`metrics`["step"] is a name of Rolltape\'s own metrics; choose another.'],
    [{ "": 1 }, '`metrics`[""] needs a name of at least one character.'],
    [[1], "`metrics` must be an object of names and finite numbers; received [1]."],
    [null, "`metrics` must be an object of names and finite numbers; received null."],
  ])("leaves out what cannot be used and says why: %j", (metrics, problem) => {
    expect(readTrainerMetrics([metrics, { kept: 1 }])).toEqual({ scalars: { kept: 1 }, problems: [problem] });
  });
});

describe("parseTrainerLine", () => {
  it("reads NaN and Infinity, which Python writes, as text", () => {
    const line = String.raw`{"a": NaN, "b": [-Infinity, Infinity], "NaN": "-Infinity \" NaN", "c": -1}`;
    const read = { a: "NaN", b: ["-Infinity", "Infinity"], NaN: '-Infinity " NaN', c: -1 };
    expect(parseTrainerLine(line)).toEqual(read);
  });
});
