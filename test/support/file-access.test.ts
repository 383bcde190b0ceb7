import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_FILES } from "../../src/support/file-access.js";

it("finds the regular files of a folder, and follows links to files of the same folder only", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rolltape-files-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const inner = join(folder, "inner");
  mkdirSync(inner);
  writeFileSync(join(folder, "outside"), "secret");
  writeFileSync(join(inner, "file"), "text");
  mkdirSync(join(inner, "folder"));
  symlinkSync("file", join(inner, "link"));
  symlinkSync("../outside", join(inner, "escape"));
  symlinkSync(inner, join(folder, "alias"));
  const found = (name: string) => LOCAL_FILES.find(join(folder, "alias"), name);
  expect(await found("file")).toBe(join(inner, "file"));
  expect(await found("link")).toBe(join(inner, "file"));
  expect(await LOCAL_FILES.find(join(folder, "missing"), "file")).toBeUndefined();
  for (const name of ["escape", "folder", "../outside", "missing"]) expect(await found(name)).toBeUndefined();
});
