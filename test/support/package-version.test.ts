import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { packageVersion } from "../../src/support/package-version.js";

it("is the version of package.json", () => {
  expect(packageVersion()).toBe(packageJson.version);
});
