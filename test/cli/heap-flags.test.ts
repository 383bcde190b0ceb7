import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { NODE_ARGUMENTS } from "../../src/cli/node-arguments.js";

it("sets a flag that this version of V8 has, because V8 ignores others without a message", () => {
  const flags = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" });
  expect(flags).toContain("--allocation-site-pretenuring");
});

it("starts Node with the same arguments from the command line as for other processes", () => {
  const [first] = readFileSync(new URL("../../src/cli/main.ts", import.meta.url), "utf8").split("\n");
  expect(first).toBe(`#!/usr/bin/env -S node ${NODE_ARGUMENTS.join(" ")}`);
});
