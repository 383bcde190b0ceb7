import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";

it("sets a flag that this version of V8 has, because V8 ignores others without a message", () => {
  const flags = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  expect(flags).toContain("--allocation-site-pretenuring");
});
