import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readOpenFileLimit } from "../../src/support/open-file-limit.js";

it.skipIf(process.platform !== "linux")("reads the limit of this process", () => {
  expect(readOpenFileLimit()).toBeGreaterThan(100);
});

it.each([
  ["1024                 524288               files     ", 1024],
  ["unlimited            unlimited            files     ", Number.POSITIVE_INFINITY],
  ["none", undefined],
])("reads the soft limit %j of a file as %s", (limits, limit) => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-limits-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "limits");
  writeFileSync(
    file,
    `Max processes             7                    7                    processes \nMax open files            ${limits}\n`,
  );
  expect(readOpenFileLimit(file)).toBe(limit);
});

it("returns undefined if the operating system reports no limits", () => {
  expect(readOpenFileLimit("/no/such/file")).toBeUndefined();
});
