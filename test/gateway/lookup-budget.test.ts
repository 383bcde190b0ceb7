import { describe, expect, it } from "vitest";
import { LookupBudget } from "../../src/gateway/lookup-budget.js";

describe("the budget of lookups", () => {
  it("allows four lookups at once, and then one a second", () => {
    let now = 0;
    const budget = new LookupBudget(() => now);
    const allowed = (times: number) => Array.from({ length: times }, () => budget.take()).filter(Boolean).length;
    expect(allowed(1000)).toBe(4);
    now = 999;
    expect(allowed(1000)).toBe(0);
    now = 1000;
    expect(allowed(1000)).toBe(1);
    now = 3500;
    expect(allowed(1000)).toBe(2);
    now = 3_600_000;
    expect(allowed(1000)).toBe(4);
  });

  it("is full again when a lookup finds its worker", () => {
    const budget = new LookupBudget(() => 0);
    while (budget.take());
    budget.refill();
    expect([1, 2, 3, 4, 5].map(() => budget.take())).toEqual([true, true, true, true, false]);
  });
});
