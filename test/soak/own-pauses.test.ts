import { expect, it } from "vitest";
import { OwnPauses } from "./agents/own-pauses.js";

it("tells calls across a long pause of the agents' process from calls before and after it", () => {
  let now = 0;
  const pauses = new OwnPauses(() => now);
  now = 9_000;
  expect(pauses.happenedSince(0)).toBe(false);
  now = 19_500;
  expect(pauses.happenedSince(8_000)).toBe(true);
  now = 20_000;
  expect(pauses.happenedSince(8_000)).toBe(true);
  expect(pauses.happenedSince(19_600)).toBe(false);
});
