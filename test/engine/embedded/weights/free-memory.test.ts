import { afterEach, expect, it, vi } from "vitest";
import { hasMemoryFor } from "../../../../src/engine/embedded/weights/free-memory.js";

afterEach(() => void vi.restoreAllMocks());

it("a second context may take most of the memory that is available, but not all", () => {
  // Less than what any machine has free that runs these tests.
  vi.spyOn(process, "availableMemory").mockReturnValue(1000);
  expect([0, 800, 801, 1000].map(hasMemoryFor)).toEqual([true, true, false, false]);
});
