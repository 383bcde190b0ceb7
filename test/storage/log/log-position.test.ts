import fc from "fast-check";
import { expect, test } from "vitest";
import { atOf, MAX_AT_BYTES, MAX_SLOTS, packPlace, sizeOf, slotOf } from "../../../src/storage/log/log-position.js";

const units = (bytes: number) => fc.integer({ min: 1, max: bytes / 8 - 1 }).map((count) => count * 8);

test("a place has the exact segment and offset, and a size that is at most 4% too large", () => {
  fc.assert(
    fc.property(fc.nat(MAX_SLOTS - 1), units(MAX_AT_BYTES), units(2 ** 32), (slot, at, size) => {
      const place = packPlace(slot, at, size);
      expect(Number.isSafeInteger(place)).toBe(true);
      expect([slotOf(place), atOf(place)]).toEqual([slot, at]);
      expect(sizeOf(place)).toBeGreaterThanOrEqual(size);
      expect(sizeOf(place)).toBeLessThanOrEqual(size * 1.04);
    }),
    { numRuns: 2000 },
  );
});

test("small sizes are exact", () => {
  for (let size = 8; size <= 512; size += 8) expect(sizeOf(packPlace(3, 40, size))).toBe(size);
});
