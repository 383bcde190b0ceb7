import { expect, test } from "vitest";
import { Allowance } from "../../../src/support/async/allowance.js";

/** An allowance of 4 per second, and a clock that the test sets. */
function open(): { clock: { now: number }; takeAll: () => number } {
  const clock = { now: 0 };
  const allowance = new Allowance(4, () => clock.now);
  const takeAll = () => {
    let taken = 0;
    while (allowance.take()) taken++;
    return taken;
  };
  return { clock, takeAll };
}

test("allows the number of a second at once, and no more", () => {
  expect(open().takeAll()).toBe(4);
});

test("allows its share of the time that has passed", () => {
  const { clock, takeAll } = open();
  takeAll();
  clock.now = 200;
  expect(takeAll()).toBe(0);
  clock.now = 500;
  expect(takeAll()).toBe(2);
});

test("saves up no more than a second during a pause", () => {
  const { clock, takeAll } = open();
  takeAll();
  clock.now = 100_000;
  expect(takeAll()).toBe(4);
});
