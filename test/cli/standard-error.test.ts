import { expect, it, onTestFinished, vi } from "vitest";
import { openStandardError } from "../../src/cli/standard-error.js";

it("escapes C1 control characters and characters that change the direction of text, which a terminal would obey", () => {
  const { isTTY } = process.stderr;
  process.stderr.isTTY = true;
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => {
    spy.mockRestore();
    process.stderr.isTTY = isTTY;
  });
  const message = "\x9b31m a \u202e b \u{e0041} é 漢";
  openStandardError().write(`${JSON.stringify({ message })}\n`);
  expect(written).toEqual(['{"message":"\\u009b31m a \\u202e b \\udb40\\udc41 é 漢"}\n']);
  expect(JSON.parse(written.join(""))).toEqual({ message });
});
