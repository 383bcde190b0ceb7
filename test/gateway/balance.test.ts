import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spreadSlots } from "../../src/gateway/balance.js";

describe("new slots", () => {
  it("go to the workers with the least load", () => {
    const loads = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(60), loads, (slots, before) => {
        const model = [...before];
        for (let slot = 0; slot < slots; slot++) {
          const least = model.indexOf(Math.min(...model));
          model[least] = (model[least] ?? 0) + 1;
        }
        const after = spreadSlots(slots, before).map((share, index) => share + (before[index] ?? 0));
        expect([...after].sort((a, b) => a - b)).toEqual(model.sort((a, b) => a - b));
        expect(spreadSlots(slots, before).every((share) => share >= 0)).toBe(true);
      }),
    );
  });
});
