import { describe, expect, it } from "vitest";
import { z } from "zod";
import { listOf } from "../../../src/support/schema/list-of.js";
import { checkInSlices } from "../../../src/support/schema/sliced-check.js";

/** More than a slice. */
const BUSY_MS = 10;

/** A schema of lists of `{ n }`. Each element takes longer than a slice. */
function slowList(checked: number[]) {
  const element = z.object({ n: z.number() }).transform((value) => {
    checked.push(value.n);
    for (const until = performance.now() + BUSY_MS; performance.now() < until; );
    return value.n;
  });
  return listOf(element);
}

/** Runs all slices. Returns their number and the result. */
function run<T>(check: () => T): { readonly slices: number; readonly result: T } {
  const steps = checkInSlices(check);
  for (let slices = 1; ; slices++) {
    const step = steps.next();
    if (step.done) return { slices, result: step.value };
  }
}

const objects = (...numbers: unknown[]) => numbers.map((n) => ({ n }));

describe("checkInSlices", () => {
  it("ends a slice after an element if its time is over, and checks each element once", () => {
    const checked: number[] = [];
    const list = slowList(checked);
    const value = objects(1, 2, 3);
    const { slices, result } = run(() => list.safeParse(value));
    expect(result.data).toEqual([1, 2, 3]);
    expect(checked).toEqual([1, 2, 3]);
    expect(slices).toBe(4);
  });

  it("keeps results of lists in elements whose check is not complete", () => {
    const checked: number[] = [];
    const outer = listOf(z.object({ parts: slowList(checked) }));
    const value = [{ parts: objects(1, 2) }, { parts: objects(3) }];
    expect(run(() => outer.safeParse(value)).result.data).toEqual([{ parts: [1, 2] }, { parts: [3] }]);
    expect(checked).toEqual([1, 2, 3]);
  });

  it("keeps results of lists in the branches of a union", () => {
    const checked: number[] = [];
    const schema = z.union([z.string(), slowList(checked).transform((numbers) => numbers.length)]);
    const value = objects(1, 2);
    expect(run(() => schema.safeParse(value)).result.data).toBe(2);
    expect(checked).toEqual([1, 2]);
  });

  it("returns the issue of the first invalid element", () => {
    const checked: number[] = [];
    const list = slowList(checked);
    const value = objects(1, "two", 3);
    const { result } = run(() => list.safeParse(value));
    expect(result.error?.issues[0]).toMatchObject({ path: [1, "n"], code: "invalid_type" });
    expect(checked).toEqual([1]);
  });

  it("does not keep results for later checks", () => {
    const checked: number[] = [];
    const list = slowList(checked);
    const value = objects(1);
    run(() => list.safeParse(value));
    run(() => list.safeParse(value));
    expect(checked).toEqual([1, 1]);
  });

  it("throws what the check throws", () => {
    const broken = () => {
      throw new RangeError("broken");
    };
    expect(() => run(broken)).toThrow("broken");
  });
});
