import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { native } from "../../src/native/addon.js";

it("keeps what was written, and is on disk or not yet", () => {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-cached-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  const content = Buffer.alloc(100_000, "content");
  writeFileSync(path, content);
  native.dropCachedPages(path);
  expect(readFileSync(path)).toEqual(content);
});

it("refuses a file that is missing", () => {
  const missing = expect.objectContaining({ code: "ERR_INVALID_ARG", message: expect.stringContaining("path: ") });
  expect(() => native.dropCachedPages("/proc/no-such-file")).toThrow(missing);
});
