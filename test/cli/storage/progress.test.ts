import { expect, test } from "vitest";
import { SessionProgress } from "../../../src/cli/storage/progress.js";

function run(isTTY: boolean): string {
  let [text, now] = ["", 0];
  const terminal = { isTTY, write: (part: string) => (text += part) };
  const progress = new SessionProgress("read", terminal, () => now);
  for (; now < 1000; now += 100) progress.step(10);
  progress.clear();
  return text;
}

test("shows every fifth of a second how many sessions were read, and removes the line", () => {
  const lines = run(true).split("\r\u001b[K");
  expect(lines).toEqual(["", ...[1, 3, 5, 7, 9].map((count) => `read ${count} of 10 sessions`), ""]);
});

test("shows nothing if standard error is no terminal", () => {
  expect(run(false)).toBe("");
});
