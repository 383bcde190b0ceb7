import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const check = (...words: readonly string[]) =>
  spawnSync(process.execPath, ["scripts/check-versions.mjs", ...words], { encoding: "utf8" });

describe("check-versions.mjs", () => {
  it("accepts this checkout, whose packages have one version", () => {
    expect(check()).toMatchObject({ status: 0, stderr: "" });
  });

  it("names each package that has another version than the tag", () => {
    const { status, stderr } = check("99.0.0");
    expect(status).toBe(1);
    for (const name of ["package.json", "python/pyproject.toml", "rolltape-server", "rolltape-llama"])
      expect(stderr).toContain(`${name} has version`);
  });
});
